import { ERASURE_PHASES } from '@quickquote/core/internal'
import { it } from 'vitest'
import { eraseKilledIn } from './filled-host.ts'

it('erasing an organization continues after a kill -9 in every phase, and counts each row once', () =>
  eraseKilledIn(ERASURE_PHASES))
