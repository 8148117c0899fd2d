"""kaicep.ontology"""
