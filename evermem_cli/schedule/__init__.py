"""A timer of the user's own system that takes in folders again and again: worked out first, then installed."""

from evermem_cli.schedule.timers import Every, Timer, Wish, timer_here

__all__ = ["Every", "Timer", "Wish", "timer_here"]
