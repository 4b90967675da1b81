import { testHostileInput } from './support/hostile-input.ts'

// Each value in some fields, each field with some values; all of both are in hostile-input.slow.test.ts.
testHostileInput(6)
