/** A replica that is behind its node, in a real browser. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { diskFiles } from '../../src/node/files.ts'
import { readRunFile } from '../../src/node/run-file.ts'
import { chromium, openBrowser } from '../support/console/browser.ts'
import { startFakeNode } from '../support/follow/fake-node.ts'
import { ownChain } from '../support/follow/own-chain.ts'
import { FREE_PORTS } from '../support/process.ts'

const PROGRAM = resolve(import.meta.dirname, '../../dist/almanac.cjs')
const BEHIND = 10
const LAST = 24

test.runIf(chromium !== undefined)(
  'a replica that is behind its node says so, and no longer once it has caught up',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'almanac-lagging-'))
    await using browser = await openBrowser()
    const { page } = browser
    const node = await startFakeNode(await ownChain(LAST), join(folder, 'stream'))
    let child: ChildProcess | undefined
    try {
      node.file = (height, content) => (height > BEHIND ? undefined : content)
      // The blocks of this chain have nearly the same time.
      node.answer = (method, _, result) => {
        if (method !== 'status' || node.latest <= BEHIND) return undefined
        const status = result() as { sync_info: { latest_block_time: string } }
        const time = new Date(Date.parse(status.sync_info.latest_block_time) + 3_600_000).toISOString()
        return { ...status, sync_info: { ...status.sync_info, latest_block_time: time } }
      }
      node.advance(LAST)
      const home = join(folder, 'home')
      const args = ['follow', '--silent', '--home', home, '--stream', node.stream, '--rpc', node.url, '--max-lag', '1s']
      child = spawn(process.execPath, [PROGRAM, ...args, ...FREE_PORTS], { stdio: 'ignore' })
      const rest = await vi.waitFor(() => readRunFile(home, diskFiles)!.rest!, { timeout: 60_000 })
      await page.open(`${rest}/#/block/${BEHIND}`)
      await page.untilText('This node is catching up with its network.')
      await page.untilText(`Block ${BEHIND}`)
      await page.picture('lagging')
      expect(await page.violations()).toEqual([])
      expect(page.errors()).toEqual([])
      node.file = (_, content) => content
      node.latest = BEHIND
      node.advance(LAST)
      await page.until("!document.querySelector('.notice-lagging') && document.querySelector('.dot-live')")
      await page.evaluate("location.hash = '#/'")
      await page.until(`document.querySelector('.figures dd')?.innerText.includes('${LAST}')`)
    } finally {
      if (child?.kill('SIGKILL')) await once(child, 'close')
      await node.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
