import { expect, test } from 'vitest'
import { formatId, keepExactIds, readId } from './exact-ids.ts'

/** Returns the ids of a message as answers repeat them; undefined for what is no id. */
function idsOf(message: string): (string | undefined)[] {
  const parsed: unknown = JSON.parse(message)
  keepExactIds(message, parsed)
  return (Array.isArray(parsed) ? parsed : [parsed]).map((request) => {
    const id = readId((request as { readonly id?: unknown } | null)?.id)
    return id === undefined ? undefined : formatId(id)
  })
}

test.each([
  '12345678901234567890',
  '9007199254740993',
  '-9223372036854775808',
  '1764000000000000001',
  '1e400',
  '0.1000000000000000055511151231257827',
  '7',
  'null',
  '"x"',
])('an answer repeats the id %s digit by digit', (id) => {
  expect(idsOf(`{"jsonrpc":"2.0","id":${id},"method":"m"}`)).toEqual([id])
})

test('only the member of the request is its id, under any spelling, and the last one counts', () => {
  const big = '9007199254740993'
  expect(idsOf(`{"params":[{"id":1e500,"x":"\\"id\\":2e500"}],"a":"id","\\u0069d" : ${big} }`)).toEqual([big])
  expect(idsOf(`{"id":1e400,"id":${big}}`)).toEqual([big])
})

test('the requests of a batch keep their own ids', () => {
  const big = '9007199254740993'
  const batch = `[{"id":1,"params":[1,2,{"id":3}]}, 5, [{"id":1e400}], {"id":${big}},null,{"id":2.50,"params":{"a":[]}},{"id":{}}]`
  expect(idsOf(batch)).toEqual(['1', undefined, undefined, big, undefined, '2.50', undefined])
})
