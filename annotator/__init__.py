"""kaicep.annotator"""
