"""What the tasks on a project begin with, and what must be true when they are done."""

from bench.ui.cases import Task

PROJECT_TASKS: tuple[Task, ...] = ()
