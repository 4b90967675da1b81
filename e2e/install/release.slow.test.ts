import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { itWith } from '@quickquote/dev-servers/vitest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROOT } from '../docs/pages.ts'
import { published } from './installed.ts'

const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

describe('The manifest of a published package', () => {
  it.each(published.map(({ manifest }) => [manifest.name, manifest] as const))(
    'names its repository, and is ready to publish with provenance: %s',
    (name, manifest) => {
      const directory = `packages/${name.replace('@quickquote/', '')}`
      const web = root.repository.url.replace(/^git\+|\.git$/g, '')
      expect(manifest).toMatchObject({
        description: expect.stringMatching(/\.$/),
        keywords: expect.arrayContaining([expect.any(String)]),
        license: 'MIT',
        repository: { ...root.repository, directory },
        homepage: `${web}/tree/main/${directory}#readme`,
        bugs: `${web}/issues`,
        publishConfig: { access: 'public', provenance: true },
      })
    },
  )
})

const VERSION = 'packages/core/src/lib/version.ts'

describe('The release script', () => {
  const itWithGit = itWith('git')

  itWithGit('writes version, changelog and manifests, commits and tags', () => {
    const { read, run, git } = workspace({ url: 'git+https://git.acme.test/quotes.git' })
    expect(run('1.0.0')).toMatchObject({ status: 0 })
    expect(JSON.parse(read('package.json')).version).toBe('1.0.0')
    expect(read(VERSION)).toContain("version = '1.0.0'\n")
    expect(JSON.parse(read('packages/core/package.json'))).toMatchObject({
      version: '1.0.0',
      repository: { url: 'git+https://git.acme.test/quotes.git', directory: 'packages/core' },
      homepage: 'https://git.acme.test/quotes/tree/main/packages/core#readme',
    })
    expect(read('CHANGELOG.md')).toMatch(
      /^# Changelog\n\n## Unreleased\n\n## 1\.0\.0 - \d{4}-\d\d-\d\d\n\n- One thing\.\n\n## 0\.9\.0 - 2026-01-01\n\n- Another\.\n$/,
    )
    expect(read('reference')).toBe('generated\n')
    expect(git('status', '--porcelain')).toBe('')
    expect(git('describe')).toBe('v1.0.0')

    expect(run('1.0.0')).toEqual({ status: 2, stderr: 'The tag v1.0.0 already exists.\n' })
    expect(run('1.0.1')).toMatchObject({ status: 2, stderr: expect.stringContaining('Unreleased') })
  })

  itWithGit('refuses a placeholder as the address of the repository, and uncommitted changes', () => {
    const { run, write } = workspace({ url: 'git+https://git.example.com/quotes.git' })
    expect(run('1.0.0')).toMatchObject({ status: 2, stderr: expect.stringContaining('repository.url') })
    write('CHANGELOG.md', '# Changelog\n')
    expect(run('1.0.0')).toMatchObject({ status: 2, stderr: expect.stringContaining('Commit') })
    expect(run('1.0')).toMatchObject({ status: 2, stderr: expect.stringContaining('not a version') })
  })
})

/** A new repository with the script, one package and a changelog. */
function workspace({ url }: { url: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'quickquote-release-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text)
  const git = (...command: string[]) =>
    execFileSync('git', command, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim()
  for (const path of ['tools/release.mjs', 'packages/core/package.json', VERSION])
    cpSync(join(ROOT, path), join(folder, path))
  write(
    'package.json',
    JSON.stringify({
      version: '0.9.0',
      private: true,
      repository: { type: 'git', url },
      scripts: { reference: 'echo generated > reference' },
    }),
  )
  write('reference', 'stale\n')
  write(
    'CHANGELOG.md',
    '# Changelog\n\n## Unreleased\n\n- One thing.\n\n## 0.9.0 - 2026-01-01\n\n- Another.\n',
  )
  git('init', '--quiet')
  git('config', 'user.name', 'A maintainer')
  git('config', 'user.email', 'maintainer@example.com')
  git('config', 'commit.gpgsign', 'false')
  git('config', 'tag.gpgsign', 'false')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Before')
  return {
    write,
    git,
    read: (path: string) => readFileSync(join(folder, path), 'utf8'),
    run(argument: string) {
      const { status, stderr } = spawnSync(process.execPath, ['tools/release.mjs', argument], {
        cwd: folder,
        encoding: 'utf8',
      })
      return { status, stderr }
    },
  }
}
