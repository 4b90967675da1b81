import { testUploadCuts } from './support/upload-cuts.ts'

testUploadCuts([[5, 7]], [[65_536], [65_537, 70_000]])
