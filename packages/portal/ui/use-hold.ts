import { useLayoutEffect } from 'preact/hooks'
import type { LeaveReason } from './navigation.ts'
import { usePortal } from './portal.ts'

/** Holds the member here while `isHeld`. At once: a click may come before the page is painted. */
export function useHold(why: LeaveReason, isHeld: boolean): void {
  const { navigation } = usePortal()
  useLayoutEffect(() => (isHeld ? navigation.hold(why) : undefined), [isHeld])
}
