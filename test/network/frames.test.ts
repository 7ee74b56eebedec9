import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type EngineFrame, encodedAgain } from '../support/engine-frames.ts'

/** Recorded between CometBFT 0.38.25 and this node: of each kind of message the shortest and the longest. */
const frames = JSON.parse(readFileSync(new URL('frames.json', import.meta.url), 'utf8')) as readonly (EngineFrame & {
  readonly kind: string
})[]

test('frames of the engine and of this node are encoded again to the same bytes', () => {
  expect(frames).toHaveLength(23)
  for (const { kind, direction, hex } of frames) {
    expect(encodedAgain({ direction, hex })).toEqual({ kind, hex })
  }
})
