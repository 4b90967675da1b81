import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { isInstalled, startServer } from './server-process.ts'

export interface Nginx {
  readonly url: string
  stop(): Promise<void>
}

/** Whether the program is installed (Debian: `nginx`). */
export const hasNginx = isInstalled('nginx', '-v')

/**
 * Starts an nginx on 127.0.0.1 in front of a server, with default buffering.
 * @param upstream the address of the server
 * @throws Error with its log if it does not start
 */
export async function startNginx(upstream: string): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'quickquote-nginx-'))
  const port = await freePort()
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ')
  const config = `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  client_max_body_size 100m;
  ${paths}
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstream};
      proxy_http_version 1.1;
    }
  }
}
`
  await writeFile(join(folder, 'nginx.conf'), config)
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
  const server = await startServer('nginx', args, { port })
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await server.stop('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
