"""kaicep"""
