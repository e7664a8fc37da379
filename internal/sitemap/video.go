package sitemap

import "strconv"

// The markup of a video, in the order of its schema.
const (
	videoOpen        = `<video:video><video:thumbnail_loc>`
	videoTitle       = `</video:thumbnail_loc><video:title>`
	videoDescription = `</video:title><video:description>`
	descriptionClose = `</video:description>`
	contentOpen      = `<video:content_loc>`
	contentClose     = `</video:content_loc>`
	playerOpen       = `<video:player_loc>`
	playerClose      = `</video:player_loc>`
	durationOpen     = `<video:duration>`
	durationClose    = `</video:duration>`
	publishedOpen    = `<video:publication_date>`
	publishedClose   = `</video:publication_date>`
	videoClose       = `</video:video>`
)

func (v *Video) append(dst []byte) []byte {
	dst = append(dst, videoOpen...)
	dst = appendAddress(dst, v.Thumbnail)
	dst = appendElement(dst, videoTitle, v.Title, maxTitle, videoDescription)
	dst = appendText(dst, v.Description, maxDescription)
	dst = append(dst, descriptionClose...)
	if v.Content != "" {
		dst = appendAddress(append(dst, contentOpen...), v.Content)
		dst = append(dst, contentClose...)
	}
	if v.Player != "" {
		dst = appendAddress(append(dst, playerOpen...), v.Player)
		dst = append(dst, playerClose...)
	}
	if v.hasDuration() {
		dst = strconv.AppendInt(append(dst, durationOpen...), int64(v.Seconds), 10)
		dst = append(dst, durationClose...)
	}
	dst = appendTime(dst, publishedOpen, v.Published, publishedClose)
	return append(dst, videoClose...)
}

func (v *Video) valid() bool {
	return ValidAddress(v.Thumbnail) && hasText(v.Title) && hasText(v.Description) &&
		(v.Content != "" || v.Player != "") &&
		(v.Content == "" || ValidAddress(v.Content)) && (v.Player == "" || ValidAddress(v.Player))
}

func (v *Video) hasDuration() bool { return v.Seconds >= 1 && v.Seconds <= MaxDuration }
