/** A page of the console as phones and desktops show it. */
import { expect } from 'vitest'
import type { BrowserPage } from './browser.ts'

/** Texts of the tables that are wider than their place. */
const CUT = `[...document.querySelectorAll('main .table-box')]
  .filter((box) => box.scrollWidth > box.clientWidth + 1)
  .map((box) => box.innerText.slice(0, 80))`

/** Checks a page at both widths in both schemes: no finding of axe, no sideways scrolling, no cut table on a phone. Keeps its pictures. */
export async function lookAt(page: BrowserPage, name: string): Promise<void> {
  for (const [device, width] of [
    ['desktop', 1280],
    ['phone', 390],
  ] as const) {
    for (const dark of [false, true]) {
      await page.resize({ width, dark })
      await page.picture(`${name}-${device}-${dark ? 'dark' : 'light'}`)
      expect(await page.violations(), `${name} ${device}`).toEqual([])
      // A phone shows a page that is too wide at a smaller scale: its view is then wider, too.
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} ${device}`).toBeLessThanOrEqual(
        width,
      )
      if (device === 'phone') expect(await page.evaluate<string[]>(CUT), name).toEqual([])
    }
  }
  await page.resize({})
}
