/** A halted chain, and the same chain after its upgrade, in a real browser. */
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, chromium, openBrowser } from '../support/console/browser.ts'
import { type Lab, openLab, planned, transfer } from '../support/upgrade/lab.ts'

const inBrowser = test.runIf(chromium !== undefined)
const root = join(import.meta.dirname, '../..')

let lab: Lab
let browser: Browser
beforeAll(async () => {
  if (!chromium) return
  lab = await openLab('console-upgrade')
  // The builds of the laboratory find the console beside themselves.
  const link = join(root, 'build/test-upgrade/web')
  if (!existsSync(link)) symlinkSync(join(root, 'dist/web'), link, 'dir')
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]()
  lab?.close()
})

inBrowser(
  'a halt is told above every page, and heights stay readable; then the upgrade is listed with its change',
  async () => {
    const { page } = browser
    const old = await lab.start('chain', '', ['--halt', 'serve'])
    const height = await planned(old)
    await expect(transfer(old)).rejects.toThrow('is needed at height')
    await page.open(`${old.config.urls.rest}/#/chain/upgrades`)
    await page.untilText('The chain has halted.')
    await page.untilText('Module versions')
    await page.untilText('Upgrade "v2" is needed at height')
    await page.until("!document.querySelector('main .skeleton')")
    await page.picture('chain-halted')
    expect(await page.violations()).toEqual([])
    await page.open(`${old.config.urls.rest}/#/chain/parameters?height=1`)
    await page.untilText('vote_period')
    await old.kill('SIGINT')

    await using next = await lab.start('chain', 'v2')
    await transfer(next)
    await page.open(`${next.config.urls.rest}/#/chain/upgrades`)
    await page.until(`document.querySelector('main td a[href="#/block/${height}"]')`)
    await page.untilText('v2')
    await page.picture('chain-upgraded')
    expect(await page.violations()).toEqual([])
    await page.click('main td a[href*="/time?"]')
    await page.untilText('Two heights compared')
    await page.until("document.querySelector('.time-path')")
  },
)
