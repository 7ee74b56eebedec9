import { expect, test } from 'vitest'
import { formatHex, hex } from '../../primitives/bytes.ts'
import type { PageReference } from './pages.ts'
import { NONE } from './tree-program.ts'
import { createTreeStore } from './tree-store.ts'

/**
 * A tree that an earlier build wrote, whose pages start at other heights: pages 1 to 6, the last with the root. Its 22 keys of one
 * byte are the even numbers from 0, the values their halves.
 */
const EARLIER = {
  reference: {
    page: 6,
    height: 5,
    size: 22,
    hash: hex('3f650a3d45599ceae59734718569f8fea65ae7810890e8d9ffd5f0da7cfd7abc'),
  },
  pages: [
    'AQEBAQABdO0kODdgatjoBfTlmWVHUrrSl68jqZIJgv/wUw9MyakBAAABqBdR71C+Mf2X9GDrMJKe4aVrB9IAEhZoWEgtLkfa0sAB' +
      'AgEBAAGyOhWr+izQe72RsaqH9bx1qIVlQlyWsgSiGdm/4hhCiAEEAAFKP9dMQGAYOygbzAzBe1SBlFvldYTRrEHq6Vcp2OKv7wEG',
    'AQEBAQABkGjEVevK1JUMAWkfoshoPaVUyQ1tGrajWzX8LvXRk68BCAAB8uw2XimONMuRDcokfLNcBESM8E/zW7LGuOBJlJ5sGasB' +
      'CgEBAAEIdy1UglEClD4pAUdfidMgDhkYB9yGnYf836My8+lxOwEMAAEUPthSICOdv7bD6tdzBBdFPbyaCV/ERMMr7qifQJS+swEO',
    'AQEBAQAB7jdIGe/6wAOkzb6Sr8jX73TzboO+WshYJw2gch885uABEAABIO3Ro/rLlitR4AcQLosqRsViYGoqmsrfTTyB/b3tpqIB' +
      'EgEBAAHJ7kxOHeoSKhuTH0B1BupZOzIPjhPC82kDYjftowBgRAEUAAEUvgVTF73ZucoG2TezEx8D7M01y266DhpTIc4bgxZoAAEW',
    'AQEBAQABUKFj09rHrJ2//uvcmUuDXxXFjDxwFAH0qAtF6DBh0moBGAAB6idepegteUUBYjVBmEf2g9tX0i8mX9KV+UPp+9hkcAgB' +
      'GgEBAAGmS63fu71LqC1+tQB2t5pxS09nlLcaHx8fgu+lhC9JwwEcAAFdvQI3+miEE/Whggh+bI1gNqifj5/beGTWW+F5Qeb8GAEe',
    'AQEBAQAB42gsD3vKfgB3dkO3sRjFQvIfK7rxAIK13Z27sdp4nFoBJAAB3YYurVypn04uKWMVuUZCVnLBwNmm5RuNB+eU5H9If+gB' +
      'JgEBAAH7qqGT1ZDnYggq5w/qRJoUWVtOEnnAWRnb5fLin5Q+dgEoAAFmJuYOWnysGcfoh8e9cAro7BLKMAT9QTlPkTAUz1fYRwEq',
    'AwEBEAMBAQgCAQIEKOcxDP45RnXi8524cluQefiQVYUfJJtf5W4Yc5UY6L4CAgIEv3Jhsa0dcTC9y4Y4ykojKuUnAbjC3AdSEN1u' +
      'v9wAxlMBAQMBARgCAwIEZRUtfS84443l396L2tDSH4uc+cHSm8JKffctT+yVxoQCBAIEs5iLNzrJ/eTd3l6QbqLOTex31pnAxT2L' +
      'gMM4i3VOMvYDAQEkAQEAAXf1YJx/8XqRIw9MA6iu/RdvdDxfJaQyX4Fu4ImDcBeTASAAAfhduhVrT2ZzMlPAbfIrF426BHw8AeBL' +
      '0MplskFBa5mvASICBQIEfcX7thFUfFegPduxpD983qkzReDn6zgAQ3SSuFDl+fY=',
  ],
}

/** Creates a tree store that records which pages it reads. */
function treeStoreOver(pages: ReadonlyMap<number, Uint8Array>, read = new Set<number>()) {
  let next = Math.max(0, ...pages.keys()) + 1
  return createTreeStore(
    (page) => {
      read.add(page)
      return pages.get(page)
    },
    () => next++,
  )
}

test('pages of an earlier build are readable, and changes replace them by pages of this build', () => {
  const { reference } = EARLIER
  const pages = new Map<number, Uint8Array>(EARLIER.pages.map((text, i) => [i + 1, Buffer.from(text, 'base64')]))
  const whole = treeStoreOver(new Map())
  let expected = NONE
  for (let i = 0; i < 22; i++) expected = whole.set(expected, Uint8Array.of(i * 2), Uint8Array.of(i), 1)
  let treeStore = treeStoreOver(pages)
  let root = treeStore.refer(reference)
  expect(formatHex(whole.rootHash(expected))).toBe(formatHex(reference.hash))
  expect([...treeStore.walk(root)]).toEqual([...whole.walk(expected)])

  let saved: PageReference = reference
  for (const [i, key] of [6, 7, 42, 1, 20].entries()) {
    const version = i + 2
    treeStore = treeStoreOver(pages)
    treeStore.freeze(version - 1)
    root = treeStore.set(treeStore.refer(saved), Uint8Array.of(key), Uint8Array.of(1), version)
    whole.freeze(version - 1)
    expected = whole.set(expected, Uint8Array.of(key), Uint8Array.of(1), version)
    expect(formatHex(treeStore.rootHash(root))).toBe(formatHex(whole.rootHash(expected)))
    treeStore.freeze(version)
    saved = treeStore.save(root)
    const { written, dropped } = treeStore.takePages()
    for (const [page, bytes] of written) pages.set(page, bytes)
    for (const page of dropped) expect(pages.delete(page)).toBe(true)

    const read = new Set<number>()
    const again = treeStoreOver(pages, read)
    expect([...again.walk(again.refer(saved))]).toEqual([...whole.walk(expected)])
    expect([...read].sort((a, b) => a - b)).toEqual([...pages.keys()].sort((a, b) => a - b))
  }
})
