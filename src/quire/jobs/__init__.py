"""Jobs: functions that run in the background, once per job in all server processes together."""
