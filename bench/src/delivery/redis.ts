import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from './receiver.ts'

/** Starts a Redis with the usual durability (a write to disk each second). Undefined if it is not installed. */
export async function startRedis(): Promise<{ url: string; stop(): Promise<void> } | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'quickquote-bench-redis-'))
  const port = await freePort()
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
  const server = spawn('redis-server', [...options, '--appendonly', 'yes', '--save', ''], { stdio: 'ignore' })
  const ended = Promise.race([once(server, 'exit'), once(server, 'error')]).catch(() => undefined)
  const removed = ended.then(() => rm(folder, { recursive: true, force: true }))
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null })
  client.on('error', () => undefined)
  const isUp = await Promise.race([client.ping().then(() => true), ended.then(() => false)])
  client.disconnect()
  if (!isUp) return undefined
  const stop = async () => {
    server.kill('SIGTERM')
    await removed
  }
  return { url: `redis://127.0.0.1:${port}`, stop }
}
