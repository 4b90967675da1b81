import { testUploadCuts } from './support/upload-cuts.ts'

// Thousands of connections.
testUploadCuts([[5, 1, 30, 2, 7]], [[3, 100_000, 16_384, 65_535, 65_536]])
