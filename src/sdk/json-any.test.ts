import { create } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { authors } from '../../test/support/nesting/chain.ts'
import { createRandomMessages } from '../../test/support/nesting/random-messages.ts'
import { seededRandom } from '../../test/support/random.ts'
import { messageType } from '../identity/registry.ts'
import { ChainError } from '../primitives/errors.ts'
import { fromJson, toJson } from './json.ts'
import { testContext } from './testing.ts'

const COUNT = Number(process.env['TEST_RANDOM_MESSAGES'] ?? 10_000)

test('every message is printed and read as JSON, or refused: no input makes the functions fail otherwise', () => {
  const random = seededRandom(16)
  const { message, mutate } = createRandomMessages(random)
  const base = testContext()
  const names = { identity: base.identity, app: { ...base.app, message: messageType } }
  const seen = { read: 0, refused: 0 }
  for (let i = 0; i < COUNT; i++) {
    const { typeUrl, value } = message(authors[i % authors.length]!)
    const packed = create(AnySchema, { typeUrl, value: i % 2 === 0 ? value : mutate(value) })
    try {
      fromJson(names, AnySchema, toJson(names, AnySchema, packed))
      seen.read++
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      seen.refused++
    }
  }
  expect([seen.read > COUNT / 10, seen.refused > COUNT / 10]).toEqual([true, true])
})
