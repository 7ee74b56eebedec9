import { expect, test } from 'vitest'
import { createProcessorShare } from './processor-share.ts'

test('the share is that since the last call', () => {
  let text = '100 0 5'
  const share = createProcessorShare(() => text)
  expect(share()).toBe(1)
  text = '200 100 9'
  expect(share()).toBe(0.5)
  text = '500 200 12'
  expect(share()).toBe(0.75)
})

test('a thread that did not run, or of a system that does not tell, had what it needed, and one that hardly ran a quarter', () => {
  let text = '100 100 5'
  const share = createProcessorShare(() => text)
  share()
  expect(share()).toBe(1)
  text = '101 900 5'
  expect(share()).toBe(0.25)
  const untold = createProcessorShare(() => {
    throw new Error('ENOENT')
  })
  expect(untold()).toBe(1)
})
