package recipes

import (
	"net/http"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/adaptor"

	"github.com/servemap/servemap"
)

func fiberApp() *fiber.App {
	app := fiber.New()
	html := func(text func(c fiber.Ctx) string) fiber.Handler {
		return func(c fiber.Ctx) error { return c.Type("html").SendString(text(c)) }
	}
	app.Get("/", html(func(fiber.Ctx) string { return home }))
	app.Get("/about", html(func(fiber.Ctx) string { return about }))
	app.Get("/p/:name", html(func(c fiber.Ctx) string { return product(c.Params("name")) }))
	return app
}

// Fiber is a fiber app that runs in net/http. Fiber shows no routes, so pages are listed
// by their links. If the app has a server of its own, for speed, put "servemap proxy"
// before it instead.
func Fiber(site *servemap.Site) http.Handler { return site.Wrap(adaptor.FiberApp(fiberApp())) }

// FiberWrong shows what not to do. Fiber runs such middleware before the page is written,
// so servemap sees empty responses and lists nothing. A hint in the log says so.
func FiberWrong(site *servemap.Site) http.Handler {
	app := fiber.New()
	app.Use(adaptor.HTTPMiddleware(site.Wrap))
	app.Get("/", func(c fiber.Ctx) error { return c.Type("html").SendString(home) })
	return adaptor.FiberApp(app)
}
