import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from './api/http.ts'
import { signIns } from './session.ts'
import { isSignedOut } from './use-loaded.ts'

export interface Action {
  readonly isRunning: boolean
  readonly error: unknown
  /** The error of one field, by its name in the body. */
  fieldError(name: string): string | undefined
  /** Runs it unless it is already running. An error is kept for display. */
  run(work: () => Promise<void>): Promise<void>
}

/** False once the component has gone: a member who has left a screen is not brought back to it. */
export function useHere(): { readonly current: boolean } {
  const here = useRef(true)
  useEffect(
    () => () => {
      here.current = false
    },
    [],
  )
  return here
}

/** A user's action: runs once at a time and keeps its error. */
export function useAction(): Action {
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const times = signIns.value
  useEffect(() => {
    if (isSignedOut(error)) setError(null)
  }, [times])
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
