/** A filled chain and a browser that shows it, for the tests of one file. */
import { afterAll, beforeAll } from 'vitest'
import type { NodeProcess } from '../process.ts'
import { type Browser, type BrowserPage, chromium, openBrowser } from './browser.ts'

/** Node, contents and page that the tests of a file share. They exist once the tests run. */
export interface ShownChain<World> {
  readonly node: NodeProcess
  readonly world: World
  readonly page: BrowserPage
}

/** Starts a node, fills its chain and opens a browser before the tests of a file, and ends both after them. Does nothing without a browser. */
export function showChain<World = undefined>(
  start: () => Promise<NodeProcess>,
  fill: (node: NodeProcess) => Promise<World>,
): ShownChain<World> {
  const shown: { node?: NodeProcess; world?: World; browser?: Browser; page?: BrowserPage } = {}
  beforeAll(async () => {
    if (!chromium) return
    shown.node = await start()
    shown.world = await fill(shown.node)
    shown.browser = await openBrowser()
    shown.page = shown.browser.page
  })
  afterAll(async () => {
    await shown.browser?.[Symbol.asyncDispose]()
    await shown.node?.[Symbol.asyncDispose]()
  })
  return shown as ShownChain<World>
}
