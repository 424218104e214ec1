/**
 * The application: the router, and the providers that every screen uses.
 *
 * @module
 */
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { CSPProvider } from "@base-ui/react/csp-provider"
import { makeQueryClient } from "../api/queries.ts"
import { Toasts } from "../parts/overlay/Toasts.tsx"
import { Gates } from "./Gates.tsx"
import { NewVersion } from "./frame/NewVersion.tsx"
import { ReaderProvider } from "./reader.tsx"
import { makeRouter } from "./router.ts"

const client = makeQueryClient()
const router = makeRouter(client)

/** The application with its providers. */
export const App = () => (
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={client}>
      <ReaderProvider>
        <RouterProvider router={router} />
        <Gates />
        <Toasts />
        <NewVersion />
      </ReaderProvider>
    </QueryClientProvider>
  </CSPProvider>
)
