"""kaicep.pipeline"""
