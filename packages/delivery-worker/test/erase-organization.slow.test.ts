import { it } from 'vitest'
import { eraseKilledIn } from './support/filled-host.ts'

it('erasing an organization continues after a kill -9 in every step, and counts each row once', () => {
  const removals = ['removeRows 1', 'removeRows 2', 'removeRows 8', 'removeRows 12']
  const files = ['findFiles 1', 'delete 1', 'forgetFiles 1']
  return eraseKilledIn([...removals, ...files, 'setLeftToHost 1', 'removeAuditLog 2', 'finish 1', 'finish 1'])
})
