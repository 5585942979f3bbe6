import { create } from 'zustand'
import { messageOf } from '../components/errors'

/** One thing that could not be done, with the page that shows it. */
export type JobFailure = { title: string; message: string; path?: string }

/** One of several things that a job does, which can be cancelled alone; it waits as long as its share is null. */
export type JobPart = { id: number; title: string; share: number | null; cancel: () => void }

export type Job = {
  id: number
  title: string
  /** How many things there are to do; null as long as nobody knows. */
  total: number | null
  done: number
  failures: JobFailure[]
  /** What is under way or waits, where it can be cancelled part by part. */
  parts: readonly JobPart[]
  state: 'running' | 'done' | 'cancelled' | 'failed'
  /** Why it ended before its time. */
  message?: string
  cancel: () => void
  /** Do again what has failed, and what was left when it ended. */
  retry?: () => void
}

export type JobReport = {
  /** So many more things are done, failures among them; a part of one counts as a fraction. */
  advance: (count: number) => void
  fail: (failure: JobFailure) => void
  setTotal: (total: number) => void
  setParts: (parts: readonly JobPart[]) => void
}

type Work = { title: string; total: number | null; run: (report: JobReport, signal: AbortSignal) => Promise<void>; retry?: () => void }

/** Long work that goes on while people move through the screens, the latest first. */
export const useJobs = create<{ jobs: Job[] }>(() => ({ jobs: [] }))

let lastId = 0

/** Begin a job, and return it once it has ended, in whichever way; nothing is thrown. */
export async function startJob({ title, total, run, retry }: Work): Promise<Job> {
  const id = (lastId += 1)
  const controller = new AbortController()
  const change = (recipe: (job: Job) => Partial<Job>) =>
    useJobs.setState(({ jobs }) => ({ jobs: jobs.map((job) => (job.id === id ? { ...job, ...recipe(job) } : job)) }))
  const job: Job = { id, title, total, done: 0, failures: [], parts: [], state: 'running', cancel: () => controller.abort(), retry }
  useJobs.setState(({ jobs }) => ({ jobs: [job, ...jobs] }))
  const report: JobReport = {
    advance: (count) => change(({ done }) => ({ done: done + count })),
    fail: (failure) => change(({ failures }) => ({ failures: [...failures, failure] })),
    setTotal: (known) => change(() => ({ total: known })),
    setParts: (parts) => change(() => ({ parts })),
  }
  let ended: Pick<Job, 'state' | 'message'> = { state: 'done' }
  try {
    await run(report, controller.signal)
    if (controller.signal.aborted) ended = { state: 'cancelled' }
  } catch (error) {
    ended = controller.signal.aborted
      ? { state: 'cancelled' }
      : { state: 'failed', message: messageOf(error) }
  }
  const last = useJobs.getState().jobs.find((one) => one.id === id) ?? job
  change(() => ({ ...ended, parts: [] }))
  return { ...last, ...ended }
}

export const removeJob = (id: number): void => useJobs.setState(({ jobs }) => ({ jobs: jobs.filter((job) => job.id !== id) }))
