"""A timer of the operating system that ingests folders regularly: planned first, then installed."""

from evermem_cli.schedule.timers import Every, Timer, TimerRequest, TimerRuns, installed_here, timer_here

__all__ = ["Every", "Timer", "TimerRequest", "TimerRuns", "installed_here", "timer_here"]
