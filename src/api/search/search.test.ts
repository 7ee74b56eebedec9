import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Node, startNode } from '../../index.ts'

let node: Node

// Each read of the clock advances it by a millisecond, so that the duration of a search does not depend on the machine.
let nowMs = Date.UTC(2024, 0, 1)
beforeAll(async () => {
  node = await startNode({ blocks: { time: 'manual' } }, { clock: () => nowMs++ })
  for (let i = 0; i < 300; i++) await node.nextBlock()
})
afterAll(() => node?.stop())

async function heights(query: string, more: Record<string, string> = {}) {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'block_search',
    params: { query, per_page: '100', ...more },
  })
  const response = await fetch(node.urls.comet, { method: 'POST', body })
  const { result, error } = (await response.json()) as {
    result?: { total_count: string; blocks: { block: { header: { height: string } } }[] }
    error?: { data: string }
  }
  if (error) return error.data
  return { total: result!.total_count, heights: result!.blocks.map(({ block }) => Number(block.header.height)) }
}

test('blocks are found by ranges of height, newest first by default', async () => {
  expect(await heights('block.height >= 5 AND block.height < 8')).toEqual({ total: '3', heights: [7, 6, 5] })
  expect(await heights('block.height > 298', { order_by: 'asc' })).toEqual({ total: '3', heights: [299, 300, 301] })
  expect(await heights('block.height = 7 AND block.height = 8')).toEqual({ total: '0', heights: [] })
  expect(await heights("tm.event = 'Tx'")).toEqual({ total: '0', heights: [] })
  expect(await heights('block.height = 1.5')).toContain('whole number')
  expect(await heights('block.height > 0', { page: '5' })).toContain('page should be within [1, 4] range')
  expect(await heights('block.height > 0', { order_by: 'up' })).toContain('order_by')
})

test('concurrent searches are answered or refused, and block production goes on', async () => {
  const searches = Promise.all(Array.from({ length: 100 }, () => heights('nothing.like = 5')))
  const before = node.height
  await node.nextBlock()
  expect(node.height).toBe(before + 1n)
  for (const answer of await searches) {
    expect(answer === 'too many searches at once' || (answer as { total: string }).total === '0').toBe(true)
  }
})
