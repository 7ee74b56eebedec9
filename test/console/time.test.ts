/** The comparison of two heights, without a browser. */
import { expect, test } from 'vitest'
import { changesOf, deltaOf } from '../../web/src/time/diff.ts'
import { findChanges, mapFew, sampleHeights } from '../../web/src/time/few.ts'

test('equal answers have no changes, whatever their depth', () => {
  const answer = { params: { list: [{ denom: 'a', amount: '1' }], on: true, none: null } }
  expect(changesOf(answer, structuredClone(answer))).toEqual([])
})

test('a change names its path, and what appears or goes has one side only', () => {
  const before = { params: { period: '3', gone: '1' }, same: [1, 2] }
  const after = { params: { period: '30', added: { deep: true } }, same: [1, 2] }
  expect(changesOf(before, after)).toEqual([
    { path: 'params.period', before: '3', after: '30' },
    { path: 'params.gone', before: '1', after: undefined },
    { path: 'params.added', before: undefined, after: { deep: true } },
  ])
})

test('items of a list are compared by what names them, not by their place', () => {
  const before = { balances: [{ denom: 'b', amount: '5' }] }
  const after = {
    balances: [
      { denom: 'a', amount: '1' },
      { denom: 'b', amount: '7' },
    ],
  }
  const changes = changesOf(before, after)
  expect(changes).toEqual([
    { path: 'balances[denom=b].amount', before: '5', after: '7' },
    { path: 'balances[denom=a]', before: undefined, after: { denom: 'a', amount: '1' } },
  ])
  expect(changes.map(deltaOf)).toEqual([2n, undefined])
})

test('a list of texts is a set, and a list with repeated items is compared by index', () => {
  expect(changesOf(['a', 'b'], ['b', 'c'])).toEqual([
    { path: '[a]', before: 'a', after: undefined },
    { path: '[c]', before: undefined, after: 'c' },
  ])
  expect(changesOf(['a', 'a'], ['a', 'b'])).toEqual([{ path: '[1]', before: 'a', after: 'b' }])
  const twice = [{ denom: 'a' }, { denom: 'a' }]
  expect(changesOf(twice, [{ denom: 'a' }, { denom: 'x' }])[0]?.path).toBe('[1].denom')
})

test('numbers beyond 53 bits keep their digits in a difference', () => {
  const [change] = changesOf('1000000000000000000000000', '1000000000000000000000001')
  expect(deltaOf(change!)).toBe(1n)
  expect(deltaOf({ path: '', before: '1.5', after: '2' })).toBeUndefined()
})

test('samples include both ends, are at most as many as asked, and never repeat', () => {
  expect(sampleHeights(1n, 3n, 60)).toEqual([1n, 2n, 3n])
  const many = sampleHeights(1n, 100_000n, 60)
  expect([many.length, many[0], many.at(-1), new Set(many).size]).toEqual([60, 1n, 100_000n, 60])
  expect(sampleHeights(5n, 4n, 10)).toEqual([])
  expect(sampleHeights(5n, 500n, 1)).toEqual([500n])
})

test('at most four questions wait at once, and the results keep their order', async () => {
  let open = 0
  let most = 0
  const results = await mapFew(
    Array.from({ length: 30 }, (_, i) => i),
    async (i) => {
      most = Math.max(most, ++open)
      await new Promise<void>((done) => setImmediate(done))
      open--
      return i * 2
    },
  )
  expect(results).toEqual(Array.from({ length: 30 }, (_, i) => i * 2))
  expect(most).toBe(4)
})

test('after a failure no more questions are asked', async () => {
  const asked: number[] = []
  const fail = mapFew(
    Array.from({ length: 100 }, (_, i) => i),
    async (i) => {
      asked.push(i)
      throw new Error('the node is gone')
    },
  )
  await expect(fail).rejects.toThrow('the node is gone')
  expect(asked.length).toBeLessThanOrEqual(4)
})

test('changes are found by few questions, and a small budget says that it was not enough', async () => {
  let asked = 0
  const read = async (height: bigint) => {
    asked++
    return height < 700n ? 'a' : height < 90_001n ? 'b' : 'c'
  }
  expect(await findChanges(1n, 100_000n, read, 80)).toEqual({ heights: [700n, 90_001n], isComplete: true })
  expect(asked).toBeLessThan(60)
  expect(await findChanges(1n, 100_000n, read, 6)).toMatchObject({ isComplete: false })
  expect(await findChanges(1n, 1n, read, 6)).toEqual({ heights: [], isComplete: true })
})
