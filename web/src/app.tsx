/** The frame of every page: header, navigation, height, the page itself, footer. */
import { useEffect, useState } from 'preact/hooks'
import { Footer } from './layout/footer.tsx'
import { Header } from './layout/header.tsx'
import { StateNotice } from './layout/notice.tsx'
import { findRoute, type Page, type Params, usePlace } from './router.tsx'
import { ROUTES } from './routes.ts'
import { HeightSlider } from './time/slider.tsx'
import { Failure } from './ui/loaded.tsx'
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
          shown && <shown.Page key={JSON.stringify(shown.params)} params={shown.params} />
        )}
      </main>
      <Footer />
    </>
  )
}
