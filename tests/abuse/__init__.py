"""Clients that try to stop the hub, and their victims, who must notice nothing."""
