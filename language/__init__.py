"""kaicep.language"""
