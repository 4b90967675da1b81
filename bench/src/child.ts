import { fork } from 'node:child_process'
import { once } from 'node:events'

/** What a process of a bench can be asked to do. */
export type Service = Readonly<Record<string, (...given: never[]) => Promise<unknown>>>

export interface Child<S extends Service> {
  /** Throws what the process answers with, and when it dies. One call at a time. */
  call<N extends keyof S & string>(name: N, ...given: Parameters<S[N]>): Promise<Awaited<ReturnType<S[N]>>>
  stop(): Promise<void>
  /** SIGKILL: it has no time for anything. */
  kill(): Promise<void>
  /** SIGSTOP: it stands still and notices nothing of it, until `resume`. */
  pause(): void
  resume(): void
}

type Answer = { readonly result: unknown } | { readonly error: string }

/**
 * Starts a process that serves calls: each side of a bench has one of its own, and the load comes from another.
 * @param program a file of this folder, as `load.js`
 */
export function startChild<S extends Service>(program: string): Child<S> {
  const child = fork(new URL(program, import.meta.url), { serialization: 'advanced' })
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

/** The other side: answers the calls of the process that started this one, and ends with it. */
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
