import { useState } from 'preact/hooks'
import { ApiError } from './api/http.ts'

export interface Action {
  readonly isRunning: boolean
  readonly error: unknown
  /** The error of one field, by its name in the body. */
  fieldError(name: string): string | undefined
  /** Runs it, unless it is running. What fails is kept, and shown where the person is. */
  run(work: () => Promise<void>): Promise<void>
}

/** One thing that a person asks for: it runs once at a time, and says what went wrong. */
export function useAction(): Action {
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  return {
    isRunning,
    error,
    fieldError(name) {
      if (!(error instanceof ApiError)) return undefined
      const found = [...error.fields].find(
        ([pointer]) => pointer === `/${name}` || pointer.startsWith(`/${name}/`),
      )
      return found?.[1]
    },
    async run(work) {
      if (isRunning) return
      setRunning(true)
      setError(null)
      try {
        await work()
      } catch (failure) {
        setError(failure)
      }
      setRunning(false)
    },
  }
}
