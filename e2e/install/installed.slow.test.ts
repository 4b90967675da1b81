import { afterAll, beforeAll } from 'vitest'
import { badNightTests } from './bad-night.ts'
import { bundledTests } from './bundled.ts'
import { driverTests } from './driver.ts'
import { enginesTests } from './engines.ts'
import { type Installed, installPackages } from './installed.ts'
import { quickStartTests } from './quick-start.ts'
import { realAppTests } from './real-app.ts'

// One file, because installing takes long.
let installed: Installed

beforeAll(async () => {
  installed = await installPackages(['fastify', '@types/node@20', 'postgres@3.4.9'])
}, 600_000)

afterAll(() => installed?.remove())

quickStartTests(() => installed)
driverTests(() => installed)
badNightTests(() => installed)
bundledTests(() => installed)
enginesTests(() => installed)
realAppTests(() => installed)
