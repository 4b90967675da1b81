import { fork } from 'node:child_process'
import { once } from 'node:events'

export { type Footprint, footprint } from './footprint.ts'

/** The calls that a process serves. */
export type Service = Readonly<Record<string, (...given: never[]) => Promise<unknown>>>

export interface Child<S extends Service> {
  /** Throws the error of the call, or if the process dies. One call at a time. */
  call<N extends keyof S & string>(name: N, ...given: Parameters<S[N]>): Promise<Awaited<ReturnType<S[N]>>>
  stop(): Promise<void>
  /** Sends SIGKILL. */
  kill(): Promise<void>
  /** Sends SIGSTOP: it stops until `resume`. */
  pause(): void
  resume(): void
}

type Answer = { readonly result: unknown } | { readonly error: string }

/** Starts a program that serves calls with `serveParent`. */
export function startChild<S extends Service>(program: URL): Child<S> {
  const child = fork(program, { serialization: 'advanced' })
  const died = once(child, 'exit').then(([code, signal]): never => {
    throw new Error(`${program} ended (${signal ?? `exit code ${code}`})`)
  })
  died.catch(() => undefined)
  return {
    async call<N extends keyof S & string>(
      name: N,
      ...given: Parameters<S[N]>
    ): Promise<Awaited<ReturnType<S[N]>>> {
      child.send({ name, given })
      const [answer] = (await Promise.race([once(child, 'message'), died])) as [Answer]
      if ('error' in answer) throw new Error(`${program}: ${answer.error}`)
      return answer.result as Awaited<ReturnType<S[N]>>
    },
    async stop() {
      if (!child.connected) return
      child.disconnect()
      await died.catch(() => undefined)
    },
    async kill() {
      child.kill('SIGKILL')
      await died.catch(() => undefined)
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}

/** In the child: serves the calls of the parent, and exits with it. */
export function serveParent(service: Service): void {
  process.on('message', async ({ name, given }: { name: string; given: never[] }) => {
    process.send?.(await answerOf(service[name], given))
  })
  process.on('disconnect', () => process.exit())
}

async function answerOf(serve: Service[string] | undefined, given: never[]): Promise<Answer> {
  try {
    return { result: await serve?.(...given) }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) }
  }
}
