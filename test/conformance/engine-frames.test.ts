import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { encodedAgain } from '../support/engine-frames.ts'

const path = resolve(import.meta.dirname, '../../../shared/spec/vectors/comet-0.38.json')

interface Vectors {
  readonly abci_frames: readonly { readonly dir: 'request' | 'response'; readonly hex: string }[]
}

test.skipIf(!existsSync(path))('recorded frames of CometBFT 0.38 are encoded again to the same bytes', () => {
  const { abci_frames: frames } = JSON.parse(readFileSync(path, 'utf8')) as Vectors
  expect(frames.length).toBeGreaterThan(0)
  for (const { dir, hex } of frames) expect(encodedAgain({ direction: dir, hex }).hex).toBe(hex)
})
