/** A headless browser for tests of pages, by the WebDriver protocol. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../support/programs.ts'

const driver = findProgram(['chromedriver'], 'pages in a browser')
const chromium = findProgram(['chromium', 'chromium-browser', 'google-chrome'], 'pages in a browser')

/** Whether this machine has a browser and its driver. */
export const hasBrowser = driver !== undefined && chromium !== undefined

const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8')

export interface Browser extends AsyncDisposable {
  /** Opens an address. A change of its fragment alone does not load the page again. */
  open(url: string): Promise<void>
  /** Runs the body of a function in the page, and returns its result. */
  run<Result>(script: string, ...args: readonly unknown[]): Promise<Result>
  /** Waits until the body of a function returns something true, and returns it. Throws with the text of the page. */
  until<Result>(script: string, ...args: readonly unknown[]): Promise<Result>
  /** Sends keys to the focused element: characters, or code points of WebDriver such as `\uE004` for Tab. */
  press(keys: string): Promise<void>
  resize(width: number, height: number): Promise<void>
  /** Selects `dark` or `light`. */
  scheme(name: 'dark' | 'light'): Promise<void>
  /** Returns the picture of the window as PNG. */
  picture(): Promise<Uint8Array>
  /** Returns the violations that axe finds: the rule, and the elements. */
  violations(): Promise<readonly string[]>
  /** Returns what the page wrote to the console as an error, such as a refusal of its security policy. */
  errors(): Promise<readonly string[]>
}

/** Limit that only ends a hanging wait. */
const LONGEST_WAIT_MS = 90_000
const PAUSE_MS = 50

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, PAUSE_MS))

async function startDriver(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const child = spawn(driver!, ['--port=0'], { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  let text = ''
  const port = await new Promise<string>((done, fail) => {
    child.stdout.on('data', (part: Buffer) => {
      text += part.toString()
      const found = /on port (\d+)/.exec(text.replace(/^Starting.*$/m, ''))?.[1]
      if (found) done(found)
    })
    child.on('exit', () => fail(new Error(`the driver has ended: ${text}`)))
  })
  return { url: `http://127.0.0.1:${port}`, stop: () => process.kill(-child.pid!, 'SIGKILL') }
}

export async function openBrowser(): Promise<Browser> {
  const { url, stop } = await startDriver()
  async function send<Result>(method: string, path: string, body?: unknown): Promise<Result> {
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const { value } = (await response.json()) as { value: { error?: string; message?: string } | null }
    if (!response.ok) throw new Error(value?.message ?? `status ${response.status}`)
    return value as Result
  }
  const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--window-size=1280,900']
  const { sessionId } = await send<{ sessionId: string }>('POST', '/session', {
    capabilities: {
      alwaysMatch: { 'goog:chromeOptions': { binary: chromium, args }, 'goog:loggingPrefs': { browser: 'ALL' } },
    },
  })
  const session = `/session/${sessionId}`
  const run: Browser['run'] = (script, ...given) => send('POST', `${session}/execute/sync`, { script, args: given })
  const command = (cmd: string, params: unknown) => send('POST', `${session}/goog/cdp/execute`, { cmd, params })
  return {
    async open(address) {
      await send('POST', `${session}/url`, { url: address })
    },
    run,
    async until(script, ...given) {
      const end = performance.now() + LONGEST_WAIT_MS
      for (;;) {
        const found = await run<never>(script, ...given)
        if (found) return found
        if (performance.now() > end)
          throw new Error(`${script}\n${await run<string>('return document.body.innerText')}`)
        await pause()
      }
    },
    async press(keys) {
      const actions = [...keys].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ])
      await send('POST', `${session}/actions`, { actions: [{ type: 'key', id: 'keys', actions }] })
    },
    async resize(width, height) {
      // The window of a headless browser has a least width, which a phone is below.
      await command('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 })
    },
    async scheme(value) {
      await command('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] })
    },
    async picture() {
      return Buffer.from(await send<string>('GET', `${session}/screenshot`), 'base64')
    },
    async violations() {
      await run(`if (!window.axe) { ${AXE} }`)
      const found = await send<{ id: string; nodes: { html: string }[] }[]>('POST', `${session}/execute/async`, {
        script: `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => arguments[arguments.length - 1](violations))`,
        args: [],
      })
      return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    },
    async errors() {
      const records = await send<{ level: string; message: string }[]>('POST', `${session}/se/log`, { type: 'browser' })
      return records.filter(({ level }) => level === 'SEVERE').map(({ message }) => message)
    },
    async [Symbol.asyncDispose]() {
      await send('DELETE', session).catch(() => {})
      stop()
    },
  }
}
