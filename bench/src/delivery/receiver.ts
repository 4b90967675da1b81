import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Certificate, createCertificate } from '@quickquote/dev-servers'
import type { BenchContext } from '../bench.ts'
import type { NodeReceiver } from './node-receiver.ts'

/** Where the webhooks go: an HTTPS server in a process of its own that answers 204. */
export interface FastReceiver {
  readonly origin: string
  readonly ca: string
  /** Its kind, printed with the figures. */
  readonly kind: 'nginx' | 'Node'
  stop(): Promise<void>
}

/** nginx if installed, since the receiver shares the processor with the measured code; otherwise Node. */
export async function startFastReceiver(context: BenchContext): Promise<FastReceiver> {
  const certificate = await createCertificate()
  return (await startNginx(certificate)) ?? startNode(context, certificate)
}

async function startNode(context: BenchContext, certificate: Certificate): Promise<FastReceiver> {
  const receiver = context.start<NodeReceiver>('./delivery/node-receiver.js')
  const origin = await receiver.call('listen', { certificate, keepsArrivals: false })
  return { origin, ca: certificate.cert, kind: 'Node', stop: () => receiver.stop() }
}

async function startNginx({ key, cert }: Certificate): Promise<FastReceiver | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'quickquote-bench-nginx-'))
  const port = await freePort()
  await writeFile(join(folder, 'key.pem'), key)
  await writeFile(join(folder, 'cert.pem'), cert)
  await writeFile(join(folder, 'nginx.conf'), configuration(folder, port))
  // Debian installs it where only root's PATH leads.
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { env, stdio: 'ignore' })
  const ended = Promise.race([once(nginx, 'exit'), once(nginx, 'error')]).catch(() => undefined)
  const removed = ended.then(() => rm(folder, { recursive: true, force: true }))
  const isUp = await Promise.race([listens(port), ended.then(() => false)])
  if (!isUp) return undefined
  const stop = async () => {
    nginx.kill('SIGTERM')
    await removed
  }
  return { origin: `https://127.0.0.1:${port}`, ca: cert, kind: 'nginx', stop }
}

function configuration(folder: string, port: number): string {
  return `
    daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    events { worker_connections 2048; }
    http {
      access_log off; keepalive_requests 1000000000; keepalive_timeout 600;
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      server {
        listen 127.0.0.1:${port} ssl backlog=1024;
        ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
        location / { return 204; }
      }
    }`
}

async function listens(port: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    const socket = connect(port, '127.0.0.1')
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (connected) return true
    await sleep(20)
  }
  return false
}

/** A free port. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
