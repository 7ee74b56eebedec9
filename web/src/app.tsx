/** The frame of every page: header, navigation, height, the page itself, footer. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useHead } from './api/head.ts'
import { useHeight } from './api/height.ts'
import { formatInteger } from './format/amount.ts'
import { Footer } from './layout/footer.tsx'
import { Header } from './layout/header.tsx'
import { StateNotice } from './layout/notice.tsx'
import { findRoute, type Page, type Params, usePlace } from './router.tsx'
import { ROUTES } from './routes.ts'
import { HeightSlider } from './time/slider.tsx'
import { Empty, Failure } from './ui/loaded.tsx'
import { PageTitle } from './ui/section.tsx'

interface Shown {
  readonly pattern: string
  readonly params: Params
  readonly Page: Page
}

/** Why there is no page to show. */
interface Problem {
  readonly title: string
  readonly error: Error
}

/** Shows a page if the node has the selected height, else which heights it has. */
function AtHeight({ children }: { readonly children: ComponentChildren }) {
  const height = useHeight()
  const head = useHead()
  if (height === undefined || !head || (height >= head.earliest && height <= head.height)) return <>{children}</>
  return (
    <>
      <PageTitle title={`Height ${formatInteger(height)}`} />
      <Empty>
        {height > head.height
          ? `This height is not made yet: the latest is ${formatInteger(head.height)}. The page shows it once it is there.`
          : `This node no longer has this height: it keeps those from ${formatInteger(head.earliest)} on.`}
      </Empty>
    </>
  )
}

/** Shows the page of the place. The previous one stays until the code of the next has arrived. */
export function App() {
  const { path } = usePlace()
  const [shown, setShown] = useState<Shown | undefined>()
  const [problem, setProblem] = useState<Problem | undefined>()
  useEffect(() => {
    let isCurrent = true
    setProblem(undefined)
    const found = findRoute(ROUTES, path)
    if (!found) {
      setProblem({
        title: 'No such page',
        error: new Error(
          `There is no page ${path}. The navigation lists the pages, and the search box finds the rest.`,
        ),
      })
      return
    }
    found.route.load().then(
      ({ default: Page }) => isCurrent && setShown({ pattern: found.route.path, params: found.params, Page }),
      (failure: unknown) =>
        isCurrent &&
        setProblem({
          title: 'Console',
          error: new Error(`The code of this page could not be loaded; reload the console. ${String(failure)}`),
        }),
    )
    scrollTo(0, 0)
    return () => {
      isCurrent = false
    }
  }, [path])
  useEffect(() => {
    const title = document.querySelector('main h1')?.textContent
    document.title = title ? `${title} · Console` : 'Console'
  }, [shown, problem])
  return (
    <>
      <Header />
      <StateNotice />
      <HeightSlider />
      <main id="main" tabIndex={-1}>
        {problem ? (
          <>
            <PageTitle title={problem.title} />
            <Failure error={problem.error} />
          </>
        ) : (
          shown && (
            <AtHeight>
              <shown.Page key={JSON.stringify(shown.params)} params={shown.params} />
            </AtHeight>
          )
        )}
      </main>
      <Footer />
    </>
  )
}
