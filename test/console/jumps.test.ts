/** The place of what loads is kept for it: nothing jumps on a phone or a desktop. */
import { expect, test } from 'vitest'
import { chromium, openBrowser } from '../support/console/browser.ts'
import { startProcess } from '../support/process.ts'

const inBrowser = test.runIf(chromium !== undefined)

const STRANGER = '/account/0x00000000000000000000000000000000000A11cE'
const PAGES = [STRANGER, '/block/1', '/chain/supply', '/chain/validators', '/chain/params']

/** Sum of the layout shifts since the page began: the share of the view that moved, times how far. Browsers call less than 0.1 good. */
const SHIFTS = `new Promise((resolve) => {
  let sum = 0
  const watch = new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value })
  watch.observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 100)
})`
const MOST = 0.015

inBrowser('pages do not move while they load', async () => {
  await using node = await startProcess(['--ephemeral', '--block-time', 'manual', '--feeder', 'true'])
  for (const [width, height] of [
    [390, 844],
    [1280, 900],
  ] as const) {
    for (const path of PAGES) {
      // A new browser has nothing of the page yet.
      await using browser = await openBrowser({ width, height })
      await browser.page.resize({ width, height })
      await browser.page.open(`${node.config.urls.rest}/#${path}`)
      await browser.page.until(`document.querySelector('main h1') && !document.querySelector('main [role=status]')`)
      expect(await browser.page.evaluate<number>(SHIFTS), `${path} at ${width}`).toBeLessThan(MOST)
    }
  }
})
