"""kaicep.cep"""
