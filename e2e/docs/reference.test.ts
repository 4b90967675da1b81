import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('generated files are up to date: docs/reference, docs/monitoring, and the types of the client', () => {
  const script = fileURLToPath(new URL('./reference.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
