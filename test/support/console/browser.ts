/** A headless Chromium that tests drive by the DevTools protocol. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { WebSocket } from 'ws'
import { findProgram } from '../programs.ts'

/** Path of the browser; undefined where it is not installed. */
export const chromium = findProgram(['chromium', 'chromium-browser', 'google-chrome'], 'the console in a browser')

export interface View {
  /** 1280 × 900 by default. Unit: pixels. */
  readonly width?: number
  readonly height?: number
  readonly dark?: boolean
}

export interface BrowserPage {
  /** Loads an address, and waits for its load event. */
  open(url: string): Promise<void>
  resize(view: View): Promise<void>
  /** Runs an expression in the page, and returns its value. Rejects with what it throws. */
  evaluate<Value>(expression: string): Promise<Value>
  /** Waits until an expression is true in the page. Rejects with the text of the page. */
  until(expression: string): Promise<void>
  /** Waits until the page contains a text. */
  untilText(text: string): Promise<void>
  /** Clicks the first element of a CSS selector, once it is there. */
  click(selector: string): Promise<void>
  /** Replaces the text of an input. */
  type(selector: string, text: string): Promise<void>
  /** Presses a key, such as `Tab` or `Enter`. */
  press(key: string): Promise<void>
  /** Writes a picture of the whole page, and returns its path: below `CONSOLE_PICTURES`, else a temporary folder. */
  picture(name: string): Promise<string>
  /** Returns the violations that axe finds, one line for each. */
  violations(): Promise<string[]>
  /** Returns the errors that the page has reported since the last call. */
  errors(): string[]
  /** Returns the addresses that the page has requested since the last call. */
  requests(): string[]
  /** Returns the requests that the page has sent since the last call, with their bodies. */
  sent(): { readonly url: string; readonly body: string | undefined }[]
}

export interface Browser extends AsyncDisposable {
  readonly page: BrowserPage
}

const PICTURES = process.env['CONSOLE_PICTURES'] ?? join(tmpdir(), 'almanac-console')
/** Limit that only ends a hanging wait: a busy machine can be ten times slower than an idle one. */
const LONGEST_WAIT_MS = 120_000
const KEY_CODES: Readonly<Record<string, number>> = { Tab: 9, Enter: 13, Escape: 27, ArrowDown: 40, ArrowUp: 38 }

/** Starts a browser with one page. */
export async function openBrowser(view: View = {}): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'almanac-browser-'))
  const child = spawn(
    chromium!,
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--hide-scrollbars',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  )
  const close = async (): Promise<void> => {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 })
  }
  try {
    const address = await debuggerOf(child.stderr)
    const { host } = new URL(address)
    const targets = (await (await fetch(`http://${host}/json`)).json()) as {
      type: string
      webSocketDebuggerUrl: string
    }[]
    const page = await connect(targets.find(({ type }) => type === 'page')!.webSocketDebuggerUrl)
    await page.resize(view)
    return { page, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

async function debuggerOf(output: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += chunk
    const found = /listening on (ws:\/\/\S+)/.exec(text)
    if (found) {
      output.on('data', () => {})
      return found[1]!
    }
  }
  throw new Error(`the browser has ended: ${text}`)
}

async function connect(address: string): Promise<BrowserPage> {
  const socket = new WebSocket(address, { perMessageDeflate: false })
  await once(socket, 'open')
  const waiting = new Map<number, { done(value: unknown): void; fail(error: Error): void }>()
  const listeners = new Map<string, (params: never) => void>()
  let id = 0
  let errors: string[] = []
  let requests: string[] = []
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    const waiter = waiting.get(message.id)
    waiting.delete(message.id)
    if (message.error) waiter?.fail(new Error(message.error.message))
    else waiter?.done(message.result)
    listeners.get(message.method)?.(message.params as never)
  })
  const send = <Value>(method: string, params: object = {}): Promise<Value> =>
    new Promise((done, fail) => {
      waiting.set(++id, { done: done as (value: unknown) => void, fail })
      socket.send(JSON.stringify({ id, method, params }))
    })
  let loaded = (): void => {}
  listeners.set('Page.loadEventFired', () => loaded())
  listeners.set(
    'Runtime.exceptionThrown',
    ({ exceptionDetails }: { exceptionDetails: { text: string; exception?: { description?: string } } }) =>
      errors.push(exceptionDetails.exception?.description ?? exceptionDetails.text),
  )
  listeners.set('Log.entryAdded', ({ entry }: { entry: { level: string; text: string; url?: string } }) => {
    if (entry.level === 'error') errors.push(`${entry.text} ${entry.url ?? ''}`)
  })
  let sent: { url: string; body: string | undefined }[] = []
  listeners.set('Network.requestWillBeSent', ({ request }: { request: { url: string; postData?: string } }) => {
    requests.push(request.url)
    sent.push({ url: request.url, body: request.postData })
  })
  listeners.set('Network.webSocketCreated', ({ url }: { url: string }) => requests.push(url))
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`)

  async function evaluate<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await send<{
      result: { value: Value }
      exceptionDetails?: { text: string; exception?: { description?: string } }
    }>('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }

  async function until(expression: string): Promise<void> {
    const end = performance.now() + LONGEST_WAIT_MS
    while (!(await evaluate<boolean>(`Boolean(${expression})`))) {
      if (performance.now() > end) {
        const text = await evaluate<string>('document.body.innerText')
        throw new Error(`${expression} did not become true on the page:\n${text.slice(0, 3000)}\n${errors.join('\n')}`)
      }
      await new Promise((done) => setTimeout(done, 50))
    }
  }

  const page: BrowserPage = {
    async open(url) {
      // A change of the fragment alone loads nothing.
      await send('Page.navigate', { url: 'about:blank' })
      const done = new Promise<void>((resolve) => {
        loaded = () => resolve()
      })
      await send('Page.navigate', { url })
      await done
      await until(`location.href !== 'about:blank' && document.readyState === 'complete'`)
    },
    async resize({ width = 1280, height = 900, dark = false }) {
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 600 })
      await send('Emulation.setEmulatedMedia', {
        features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }],
      })
    },
    evaluate,
    until,
    untilText: (text) => until(`document.body.innerText.includes(${JSON.stringify(text)})`),
    async click(selector) {
      const found = `document.querySelector(${JSON.stringify(selector)})`
      await until(found)
      await evaluate(`${found}.click()`)
    },
    async type(selector, text) {
      const found = `document.querySelector(${JSON.stringify(selector)})`
      await until(found)
      await evaluate(`{ const field = ${found}; field.focus(); field.select?.() }`)
      await send('Input.insertText', { text })
    },
    async press(key) {
      const code = { key, code: key, windowsVirtualKeyCode: KEY_CODES[key] ?? key.charCodeAt(0) }
      const text = key === 'Enter' ? { text: '\r' } : key.length === 1 ? { text: key } : {}
      await send('Input.dispatchKeyEvent', { type: 'keyDown', ...code, ...text })
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...code })
    },
    async picture(name) {
      const { data } = await send<{ data: string }>('Page.captureScreenshot', { captureBeyondViewport: false })
      const path = join(PICTURES, `${name}.png`)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, Buffer.from(data, 'base64'))
      return path
    },
    async violations() {
      const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
      await evaluate(`${readFileSync(axe, 'utf8')}; true`)
      return await evaluate<string[]>(
        `axe.run(document).then(({ violations }) => violations.flatMap((one) =>
          one.nodes.map((node) => one.id + ': ' + node.target.join(' ') + ' — ' + node.failureSummary)))`,
      )
    },
    errors() {
      const found = errors
      errors = []
      return found
    },
    sent() {
      const found = sent
      sent = []
      return found
    },
    requests() {
      const found = requests
      requests = []
      return found
    },
  }
  return page
}
