import { type DatabaseProxy, startDatabaseProxy } from '@quickquote/dev-servers'

/** A proxy in front of PostgreSQL that loses a response, and its connection. */
export interface AnswerThief extends DatabaseProxy {
  /** Forwards the next message that contains this text, and drops the response to it. */
  stealAnswerTo(text: string): void
}

export async function startAnswerThief(postgresUrl: string): Promise<AnswerThief> {
  let wanted: string | undefined
  const proxy = await startDatabaseProxy(postgresUrl, (near, far) => {
    let isStolen = false
    near.on('data', (chunk) => {
      if (wanted !== undefined && chunk.includes(wanted)) {
        wanted = undefined
        isStolen = true
      }
      far.write(chunk)
    })
    far.on('data', (chunk) => {
      if (isStolen) near.destroy()
      else near.write(chunk)
    })
  })
  return {
    ...proxy,
    stealAnswerTo(text) {
      wanted = text
    },
  }
}
