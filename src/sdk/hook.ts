/** Hooks: the only way in which a module calls modules that it does not import. */
import type { Context, HookListener } from './context.ts'

export interface Hook<Payload> {
  readonly name: string
  /** Returns a listener for a module definition: `hooks: [afterEpochEnd.on(sweepEpoch)]`. */
  on(run: (ctx: Context, payload: Payload) => void): HookListener
  /** Calls every listener of the context's application, in module order. */
  run(ctx: Context, payload: Payload): void
}

/** Declares a hook. The name is unique in the application: `epochs.afterEpochEnd`. */
export function defineHook<Payload>(name: string): Hook<Payload> {
  return {
    name,
    on: (run) => ({ hook: name, run }),
    run(ctx, payload) {
      for (const listener of ctx.app.listeners(name)) {
        ;(listener.run as (ctx: Context, payload: Payload) => void)(ctx, payload)
      }
    },
  }
}
