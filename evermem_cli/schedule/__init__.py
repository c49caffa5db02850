"""A timer of the user's own system that takes in folders again and again: worked out first, then installed."""

from evermem_cli.schedule.timers import Every, Timer, TimerRequest, timer_here

__all__ = ["Every", "Timer", "TimerRequest", "timer_here"]
