/** An anvil process to compare with. */
import { spawn } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { call, cpuSecondsOfGroup } from './load.ts'

export interface Anvil {
  readonly url: string
  readonly port: number
  /** Returns the processor time since the start of the process. Unit: seconds. */
  cpuSeconds(): number
  end(): void
}

/** Starts anvil and waits until it answers. Without the path of an executable, npx runs it. */
export async function startAnvil(path: string | undefined, flags: readonly string[] = []): Promise<Anvil> {
  const port = 20_000 + (process.pid % 20_000)
  const all = ['--port', `${port}`, '--silent', ...flags]
  const [program, before] = path ? [path, []] : ['npx', ['--yes', '@foundry-rs/anvil@1.7.1']]
  const child = spawn(program, [...before, ...all], { stdio: 'inherit', detached: true })
  const url = `http://127.0.0.1:${port}`
  const end = (): void => {
    // npx runs anvil as a child: end the whole process group.
    if (child.pid !== undefined) process.kill(-child.pid)
  }
  for (let i = 0; i < 600; i++) {
    try {
      await call(url, 'eth_chainId', [])
      return { url, port, cpuSeconds: () => cpuSecondsOfGroup(child), end }
    } catch {
      await setTimeout(100)
    }
  }
  end()
  throw new Error('anvil did not start')
}
