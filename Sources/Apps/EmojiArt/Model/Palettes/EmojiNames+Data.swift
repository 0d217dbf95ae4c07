// Made by script/generate-emoji-names from unicode-data 15.0.0-1 and unicode-cldr-core 41-0.1; do not edit.
//
// The names and keywords are data of Unicode, from which this is an excerpt in another form:
//
// Unicode-DFS-2016
//
// Copyright © 1991-2022 Unicode, Inc. All rights reserved.
// Distributed under the Terms of Use in https://www.unicode.org/copyright.html.
//
// Permission is hereby granted, free of charge, to any person obtaining a copy of the Unicode data files and any associated
// documentation (the "Data Files") or Unicode software and any associated documentation (the "Software") to deal in the Data
// Files or Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
// distribute, and/or sell copies of the Data Files or Software, and to permit persons to whom the Data Files or Software are
// furnished to do so, provided that either (a) this copyright and permission notice appear with all copies of the Data Files or
// Software, or (b) this copyright and permission notice appear in associated Documentation.
//
// THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED
// TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF THIRD PARTY RIGHTS. IN NO EVENT
// SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE BE LIABLE FOR ANY CLAIM, OR ANY SPECIAL INDIRECT OR
// CONSEQUENTIAL DAMAGES, OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF
// CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THE DATA FILES
// OR SOFTWARE.
//
// Except as contained in this notice, the name of a copyright holder shall not be used in advertising or otherwise to promote
// the sale, use or other dealings in these Data Files or Software without prior written authorization of the copyright holder.

/// What Unicode calls emoji, and words that describe them, in English.
///
/// A line for each emoji is what makes this file long. It is source and no file beside it, so that the model works where it
/// has no bundle; as one text it costs the compiler nothing.
enum EmojiNames {
    /// A line for each emoji: itself, its name, and keywords that its name does not have, with tabs between.
    static let lines = """
        😀	grinning face	grin
        😃	grinning face with big eyes	mouth open smile
        😄	grinning face with smiling eyes	eye mouth open smile
        😁	beaming face with smiling eyes	eye grin smile
        😆	grinning squinting face	laugh mouth satisfied smile
        😅	grinning face with sweat	cold open smile
        🤣	rolling on the floor laughing	face laugh rofl rotfl
        😂	face with tears of joy	laugh tear
        🙂	slightly smiling face	smile
        🙃	upside-down face
        🫠	melting face	disappear dissolve liquid melt
        😉	winking face	wink
        😊	smiling face with smiling eyes	blush eye smile
        😇	smiling face with halo	angel fantasy innocent
        🥰	smiling face with hearts	adore crush in love
        😍	smiling face with heart-eyes	eye love smile
        🤩	star-struck	eyes face grinning
        😘	face blowing a kiss
        😗	kissing face	kiss
        ☺️	smiling face	outlined relaxed smile
        😚	kissing face with closed eyes	eye kiss
        😙	kissing face with smiling eyes	eye kiss smile
        🥲	smiling face with tear	grateful proud relieved touched
        😋	face savoring food	delicious savouring smile yum
        😛	face with tongue
        😜	winking face with tongue	eye joke wink
        🤪	zany face	eye goofy large small
        😝	squinting face with tongue	eye horrible taste
        🤑	money-mouth face
        🤗	smiling face with open hands	hug hugging
        🤭	face with hand over mouth	whoops
        🫢	face with open eyes and hand over mouth	amazement awe disbelief embarrass scared surprise
        🫣	face with peeking eye	captivated peep stare
        🤫	shushing face	quiet shush
        🤔	thinking face
        🫡	saluting face	ok salute sunny troops yes
        🤐	zipper-mouth face
        🤨	face with raised eyebrow	distrust skeptic
        😐	neutral face	deadpan meh
        😑	expressionless face	inexpressive meh unexpressive
        😶	face without mouth	quiet silent
        🫥	dotted line face	depressed disappear hide introvert invisible
        😶‍🌫️	face in clouds	absentminded the fog head
        😏	smirking face	smirk
        😒	unamused face	unhappy
        🙄	face with rolling eyes	eyeroll
        😬	grimacing face	grimace
        😮‍💨	face exhaling	exhale gasp groan relief whisper whistle
        🤥	lying face	lie pinocchio
        🫨	shaking face
        😌	relieved face
        😔	pensive face	dejected
        😪	sleepy face	good night sleep
        🤤	drooling face
        😴	sleeping face	good night sleep zzz
        😷	face with medical mask	cold doctor sick
        🤒	face with thermometer	ill sick
        🤕	face with head-bandage	hurt injury
        🤢	nauseated face	vomit
        🤮	face vomiting	puke sick vomit
        🤧	sneezing face	gesundheit sneeze
        🥵	hot face	feverish heat stroke red faced sweating
        🥶	cold face	blue faced freezing frostbite icicles
        🥴	woozy face	dizzy intoxicated tipsy uneven eyes wavy mouth
        😵	face with crossed-out eyes	dead knocked
        😵‍💫	face with spiral eyes	dizzy hypnotized trouble whoa
        🤯	exploding head	mind blown shocked
        🤠	cowboy hat face	cowgirl
        🥳	partying face	celebration hat horn party
        🥸	disguised face	disguise glasses incognito nose
        😎	smiling face with sunglasses	bright cool sun
        🤓	nerd face	geek
        🧐	face with monocle	stuffy
        😕	confused face	meh
        🫤	face with diagonal mouth	disappointed meh skeptical unsure
        😟	worried face
        🙁	slightly frowning face	frown
        ☹️	frowning face	frown
        😮	face with open mouth	sympathy
        😯	hushed face	stunned surprised
        😲	astonished face	shocked totally
        😳	flushed face	dazed
        🥺	pleading face	begging mercy puppy eyes
        🥹	face holding back tears	angry cry proud resist sad
        😦	frowning face with open mouth	frown
        😧	anguished face
        😨	fearful face	fear scared
        😰	anxious face with sweat	blue cold rushed
        😥	sad but relieved face	disappointed whew
        😢	crying face	cry sad tear
        😭	loudly crying face	cry sad sob tear
        😱	face screaming in fear	munch scared scream
        😖	confounded face
        😣	persevering face	persevere
        😞	disappointed face
        😓	downcast face with sweat	cold
        😩	weary face	tired
        😫	tired face
        🥱	yawning face	bored tired yawn
        😤	face with steam from nose	triumph won
        😡	enraged face	angry mad pouting rage red
        😠	angry face	anger mad
        🤬	face with symbols on mouth	swearing
        😈	smiling face with horns	fairy tale fantasy smile
        👿	angry face with horns	demon devil fantasy imp
        💀	skull	death face fairy tale monster
        ☠️	skull and crossbones	death face monster
        💩	pile of poo	dung face monster poop
        🤡	clown face
        👹	ogre	creature face fairy tale fantasy monster
        👺	goblin	creature face fairy tale fantasy monster
        👻	ghost	creature face fairy tale fantasy monster
        👽	alien	creature extraterrestrial face fantasy ufo
        👾	alien monster	creature extraterrestrial face ufo
        🤖	robot	face monster
        😺	grinning cat	face mouth open smile
        😸	grinning cat with smiling eyes	eye face grin smile
        😹	cat with tears of joy	face tear
        😻	smiling cat with heart-eyes	eye face love smile
        😼	cat with wry smile	face ironic
        😽	kissing cat	eye face kiss
        🙀	weary cat	face oh surprised
        😿	crying cat	cry face sad tear
        😾	pouting cat	face
        🙈	see-no-evil monkey	face forbidden
        🙉	hear-no-evil monkey	face forbidden
        🙊	speak-no-evil monkey	face forbidden
        💌	love letter	heart mail
        💘	heart with arrow	cupid
        💝	heart with ribbon	valentine
        💖	sparkling heart	excited sparkle
        💗	growing heart	excited nervous pulse
        💓	beating heart	heartbeat pulsating
        💞	revolving hearts
        💕	two hearts	love
        💟	heart decoration
        ❣️	heart exclamation	mark punctuation
        💔	broken heart	break
        ❤️‍🔥	heart on fire	burn love lust sacred
        ❤️‍🩹	mending heart	healthier improving recovering recuperating well
        ❤️	red heart
        🩷	pink heart
        🧡	orange heart
        💛	yellow heart
        💚	green heart
        💙	blue heart
        🩵	light blue heart
        💜	purple heart
        🤎	brown heart
        🖤	black heart	evil wicked
        🩶	grey heart
        🤍	white heart
        💋	kiss mark	lips
        💯	hundred points	100 full score
        💢	anger symbol	angry comic mad
        💥	collision	boom comic
        💫	dizzy	comic star
        💦	sweat droplets	comic splashing
        💨	dashing away	comic dash running
        🕳️	hole
        💬	speech balloon	bubble comic dialog
        👁️‍🗨️	eye in speech bubble	balloon witness
        🗨️	left speech bubble	balloon dialog
        🗯️	right anger bubble	angry balloon mad
        💭	thought balloon	bubble comic
        💤	ZZZ	comic good night sleep
        👋	waving hand	wave
        👋🏻	waving hand: light skin tone
        👋🏼	waving hand: medium-light skin tone
        👋🏽	waving hand: medium skin tone
        👋🏾	waving hand: medium-dark skin tone
        👋🏿	waving hand: dark skin tone
        🤚	raised back of hand	backhand
        🤚🏻	raised back of hand: light skin tone
        🤚🏼	raised back of hand: medium-light skin tone
        🤚🏽	raised back of hand: medium skin tone
        🤚🏾	raised back of hand: medium-dark skin tone
        🤚🏿	raised back of hand: dark skin tone
        🖐️	hand with fingers splayed	finger
        🖐🏻	hand with fingers splayed: light skin tone
        🖐🏼	hand with fingers splayed: medium-light skin tone
        🖐🏽	hand with fingers splayed: medium skin tone
        🖐🏾	hand with fingers splayed: medium-dark skin tone
        🖐🏿	hand with fingers splayed: dark skin tone
        ✋	raised hand	high 5 five
        ✋🏻	raised hand: light skin tone
        ✋🏼	raised hand: medium-light skin tone
        ✋🏽	raised hand: medium skin tone
        ✋🏾	raised hand: medium-dark skin tone
        ✋🏿	raised hand: dark skin tone
        🖖	vulcan salute	finger hand spock
        🖖🏻	vulcan salute: light skin tone
        🖖🏼	vulcan salute: medium-light skin tone
        🖖🏽	vulcan salute: medium skin tone
        🖖🏾	vulcan salute: medium-dark skin tone
        🖖🏿	vulcan salute: dark skin tone
        🫱	rightwards hand	right rightward
        🫱🏻	rightwards hand: light skin tone
        🫱🏼	rightwards hand: medium-light skin tone
        🫱🏽	rightwards hand: medium skin tone
        🫱🏾	rightwards hand: medium-dark skin tone
        🫱🏿	rightwards hand: dark skin tone
        🫲	leftwards hand	left leftward
        🫲🏻	leftwards hand: light skin tone
        🫲🏼	leftwards hand: medium-light skin tone
        🫲🏽	leftwards hand: medium skin tone
        🫲🏾	leftwards hand: medium-dark skin tone
        🫲🏿	leftwards hand: dark skin tone
        🫳	palm down hand	dismiss drop shoo
        🫳🏻	palm down hand: light skin tone
        🫳🏼	palm down hand: medium-light skin tone
        🫳🏽	palm down hand: medium skin tone
        🫳🏾	palm down hand: medium-dark skin tone
        🫳🏿	palm down hand: dark skin tone
        🫴	palm up hand	beckon catch come offer
        🫴🏻	palm up hand: light skin tone
        🫴🏼	palm up hand: medium-light skin tone
        🫴🏽	palm up hand: medium skin tone
        🫴🏾	palm up hand: medium-dark skin tone
        🫴🏿	palm up hand: dark skin tone
        🫷	leftwards pushing hand
        🫷🏻	leftwards pushing hand: light skin tone
        🫷🏼	leftwards pushing hand: medium-light skin tone
        🫷🏽	leftwards pushing hand: medium skin tone
        🫷🏾	leftwards pushing hand: medium-dark skin tone
        🫷🏿	leftwards pushing hand: dark skin tone
        🫸	rightwards pushing hand
        🫸🏻	rightwards pushing hand: light skin tone
        🫸🏼	rightwards pushing hand: medium-light skin tone
        🫸🏽	rightwards pushing hand: medium skin tone
        🫸🏾	rightwards pushing hand: medium-dark skin tone
        🫸🏿	rightwards pushing hand: dark skin tone
        👌	OK hand
        👌🏻	OK hand: light skin tone
        👌🏼	OK hand: medium-light skin tone
        👌🏽	OK hand: medium skin tone
        👌🏾	OK hand: medium-dark skin tone
        👌🏿	OK hand: dark skin tone
        🤌	pinched fingers	hand gesture interrogation sarcastic
        🤌🏻	pinched fingers: light skin tone
        🤌🏼	pinched fingers: medium-light skin tone
        🤌🏽	pinched fingers: medium skin tone
        🤌🏾	pinched fingers: medium-dark skin tone
        🤌🏿	pinched fingers: dark skin tone
        🤏	pinching hand	small amount
        🤏🏻	pinching hand: light skin tone
        🤏🏼	pinching hand: medium-light skin tone
        🤏🏽	pinching hand: medium skin tone
        🤏🏾	pinching hand: medium-dark skin tone
        🤏🏿	pinching hand: dark skin tone
        ✌️	victory hand	v
        ✌🏻	victory hand: light skin tone
        ✌🏼	victory hand: medium-light skin tone
        ✌🏽	victory hand: medium skin tone
        ✌🏾	victory hand: medium-dark skin tone
        ✌🏿	victory hand: dark skin tone
        🤞	crossed fingers	cross finger hand luck
        🤞🏻	crossed fingers: light skin tone
        🤞🏼	crossed fingers: medium-light skin tone
        🤞🏽	crossed fingers: medium skin tone
        🤞🏾	crossed fingers: medium-dark skin tone
        🤞🏿	crossed fingers: dark skin tone
        🫰	hand with index finger and thumb crossed	expensive heart love money snap
        🫰🏻	hand with index finger and thumb crossed: light skin tone
        🫰🏼	hand with index finger and thumb crossed: medium-light skin tone
        🫰🏽	hand with index finger and thumb crossed: medium skin tone
        🫰🏾	hand with index finger and thumb crossed: medium-dark skin tone
        🫰🏿	hand with index finger and thumb crossed: dark skin tone
        🤟	love-you gesture	hand ily
        🤟🏻	love-you gesture: light skin tone
        🤟🏼	love-you gesture: medium-light skin tone
        🤟🏽	love-you gesture: medium skin tone
        🤟🏾	love-you gesture: medium-dark skin tone
        🤟🏿	love-you gesture: dark skin tone
        🤘	sign of the horns	finger hand rock on
        🤘🏻	sign of the horns: light skin tone
        🤘🏼	sign of the horns: medium-light skin tone
        🤘🏽	sign of the horns: medium skin tone
        🤘🏾	sign of the horns: medium-dark skin tone
        🤘🏿	sign of the horns: dark skin tone
        🤙	call me hand	hang loose shaka
        🤙🏻	call me hand: light skin tone
        🤙🏼	call me hand: medium-light skin tone
        🤙🏽	call me hand: medium skin tone
        🤙🏾	call me hand: medium-dark skin tone
        🤙🏿	call me hand: dark skin tone
        👈	backhand index pointing left	finger hand point
        👈🏻	backhand index pointing left: light skin tone
        👈🏼	backhand index pointing left: medium-light skin tone
        👈🏽	backhand index pointing left: medium skin tone
        👈🏾	backhand index pointing left: medium-dark skin tone
        👈🏿	backhand index pointing left: dark skin tone
        👉	backhand index pointing right	finger hand point
        👉🏻	backhand index pointing right: light skin tone
        👉🏼	backhand index pointing right: medium-light skin tone
        👉🏽	backhand index pointing right: medium skin tone
        👉🏾	backhand index pointing right: medium-dark skin tone
        👉🏿	backhand index pointing right: dark skin tone
        👆	backhand index pointing up	finger hand point
        👆🏻	backhand index pointing up: light skin tone
        👆🏼	backhand index pointing up: medium-light skin tone
        👆🏽	backhand index pointing up: medium skin tone
        👆🏾	backhand index pointing up: medium-dark skin tone
        👆🏿	backhand index pointing up: dark skin tone
        🖕	middle finger	hand
        🖕🏻	middle finger: light skin tone
        🖕🏼	middle finger: medium-light skin tone
        🖕🏽	middle finger: medium skin tone
        🖕🏾	middle finger: medium-dark skin tone
        🖕🏿	middle finger: dark skin tone
        👇	backhand index pointing down	finger hand point
        👇🏻	backhand index pointing down: light skin tone
        👇🏼	backhand index pointing down: medium-light skin tone
        👇🏽	backhand index pointing down: medium skin tone
        👇🏾	backhand index pointing down: medium-dark skin tone
        👇🏿	backhand index pointing down: dark skin tone
        ☝️	index pointing up	finger hand point
        ☝🏻	index pointing up: light skin tone
        ☝🏼	index pointing up: medium-light skin tone
        ☝🏽	index pointing up: medium skin tone
        ☝🏾	index pointing up: medium-dark skin tone
        ☝🏿	index pointing up: dark skin tone
        🫵	index pointing at the viewer	point you
        🫵🏻	index pointing at the viewer: light skin tone
        🫵🏼	index pointing at the viewer: medium-light skin tone
        🫵🏽	index pointing at the viewer: medium skin tone
        🫵🏾	index pointing at the viewer: medium-dark skin tone
        🫵🏿	index pointing at the viewer: dark skin tone
        👍	thumbs up	1 hand thumb
        👍🏻	thumbs up: light skin tone
        👍🏼	thumbs up: medium-light skin tone
        👍🏽	thumbs up: medium skin tone
        👍🏾	thumbs up: medium-dark skin tone
        👍🏿	thumbs up: dark skin tone
        👎	thumbs down	1 hand thumb
        👎🏻	thumbs down: light skin tone
        👎🏼	thumbs down: medium-light skin tone
        👎🏽	thumbs down: medium skin tone
        👎🏾	thumbs down: medium-dark skin tone
        👎🏿	thumbs down: dark skin tone
        ✊	raised fist	clenched hand punch
        ✊🏻	raised fist: light skin tone
        ✊🏼	raised fist: medium-light skin tone
        ✊🏽	raised fist: medium skin tone
        ✊🏾	raised fist: medium-dark skin tone
        ✊🏿	raised fist: dark skin tone
        👊	oncoming fist	clenched hand punch
        👊🏻	oncoming fist: light skin tone
        👊🏼	oncoming fist: medium-light skin tone
        👊🏽	oncoming fist: medium skin tone
        👊🏾	oncoming fist: medium-dark skin tone
        👊🏿	oncoming fist: dark skin tone
        🤛	left-facing fist	leftwards
        🤛🏻	left-facing fist: light skin tone
        🤛🏼	left-facing fist: medium-light skin tone
        🤛🏽	left-facing fist: medium skin tone
        🤛🏾	left-facing fist: medium-dark skin tone
        🤛🏿	left-facing fist: dark skin tone
        🤜	right-facing fist	rightwards
        🤜🏻	right-facing fist: light skin tone
        🤜🏼	right-facing fist: medium-light skin tone
        🤜🏽	right-facing fist: medium skin tone
        🤜🏾	right-facing fist: medium-dark skin tone
        🤜🏿	right-facing fist: dark skin tone
        👏	clapping hands	clap hand
        👏🏻	clapping hands: light skin tone
        👏🏼	clapping hands: medium-light skin tone
        👏🏽	clapping hands: medium skin tone
        👏🏾	clapping hands: medium-dark skin tone
        👏🏿	clapping hands: dark skin tone
        🙌	raising hands	celebration gesture hand hooray raised
        🙌🏻	raising hands: light skin tone
        🙌🏼	raising hands: medium-light skin tone
        🙌🏽	raising hands: medium skin tone
        🙌🏾	raising hands: medium-dark skin tone
        🙌🏿	raising hands: dark skin tone
        🫶	heart hands	love
        🫶🏻	heart hands: light skin tone
        🫶🏼	heart hands: medium-light skin tone
        🫶🏽	heart hands: medium skin tone
        🫶🏾	heart hands: medium-dark skin tone
        🫶🏿	heart hands: dark skin tone
        👐	open hands	hand
        👐🏻	open hands: light skin tone
        👐🏼	open hands: medium-light skin tone
        👐🏽	open hands: medium skin tone
        👐🏾	open hands: medium-dark skin tone
        👐🏿	open hands: dark skin tone
        🤲	palms up together	prayer
        🤲🏻	palms up together: light skin tone
        🤲🏼	palms up together: medium-light skin tone
        🤲🏽	palms up together: medium skin tone
        🤲🏾	palms up together: medium-dark skin tone
        🤲🏿	palms up together: dark skin tone
        🤝	handshake	agreement hand meeting shake
        🤝🏻	handshake: light skin tone
        🤝🏼	handshake: medium-light skin tone
        🤝🏽	handshake: medium skin tone
        🤝🏾	handshake: medium-dark skin tone
        🤝🏿	handshake: dark skin tone
        🫱🏻‍🫲🏼	handshake: light skin tone, medium-light skin tone	agreement hand meeting shake
        🫱🏻‍🫲🏽	handshake: light skin tone, medium skin tone	agreement hand meeting shake
        🫱🏻‍🫲🏾	handshake: light skin tone, medium-dark skin tone	agreement hand meeting shake
        🫱🏻‍🫲🏿	handshake: light skin tone, dark skin tone	agreement hand meeting shake
        🫱🏼‍🫲🏻	handshake: medium-light skin tone, light skin tone	agreement hand meeting shake
        🫱🏼‍🫲🏽	handshake: medium-light skin tone, medium skin tone	agreement hand meeting shake
        🫱🏼‍🫲🏾	handshake: medium-light skin tone, medium-dark skin tone	agreement hand meeting shake
        🫱🏼‍🫲🏿	handshake: medium-light skin tone, dark skin tone	agreement hand meeting shake
        🫱🏽‍🫲🏻	handshake: medium skin tone, light skin tone	agreement hand meeting shake
        🫱🏽‍🫲🏼	handshake: medium skin tone, medium-light skin tone	agreement hand meeting shake
        🫱🏽‍🫲🏾	handshake: medium skin tone, medium-dark skin tone	agreement hand meeting shake
        🫱🏽‍🫲🏿	handshake: medium skin tone, dark skin tone	agreement hand meeting shake
        🫱🏾‍🫲🏻	handshake: medium-dark skin tone, light skin tone	agreement hand meeting shake
        🫱🏾‍🫲🏼	handshake: medium-dark skin tone, medium-light skin tone	agreement hand meeting shake
        🫱🏾‍🫲🏽	handshake: medium-dark skin tone, medium skin tone	agreement hand meeting shake
        🫱🏾‍🫲🏿	handshake: medium-dark skin tone, dark skin tone	agreement hand meeting shake
        🫱🏿‍🫲🏻	handshake: dark skin tone, light skin tone	agreement hand meeting shake
        🫱🏿‍🫲🏼	handshake: dark skin tone, medium-light skin tone	agreement hand meeting shake
        🫱🏿‍🫲🏽	handshake: dark skin tone, medium skin tone	agreement hand meeting shake
        🫱🏿‍🫲🏾	handshake: dark skin tone, medium-dark skin tone	agreement hand meeting shake
        🙏	folded hands	ask hand high 5 five please pray thanks
        🙏🏻	folded hands: light skin tone
        🙏🏼	folded hands: medium-light skin tone
        🙏🏽	folded hands: medium skin tone
        🙏🏾	folded hands: medium-dark skin tone
        🙏🏿	folded hands: dark skin tone
        ✍️	writing hand	write
        ✍🏻	writing hand: light skin tone
        ✍🏼	writing hand: medium-light skin tone
        ✍🏽	writing hand: medium skin tone
        ✍🏾	writing hand: medium-dark skin tone
        ✍🏿	writing hand: dark skin tone
        💅	nail polish	care cosmetics manicure
        💅🏻	nail polish: light skin tone
        💅🏼	nail polish: medium-light skin tone
        💅🏽	nail polish: medium skin tone
        💅🏾	nail polish: medium-dark skin tone
        💅🏿	nail polish: dark skin tone
        🤳	selfie	camera phone
        🤳🏻	selfie: light skin tone
        🤳🏼	selfie: medium-light skin tone
        🤳🏽	selfie: medium skin tone
        🤳🏾	selfie: medium-dark skin tone
        🤳🏿	selfie: dark skin tone
        💪	flexed biceps	comic flex muscle
        💪🏻	flexed biceps: light skin tone
        💪🏼	flexed biceps: medium-light skin tone
        💪🏽	flexed biceps: medium skin tone
        💪🏾	flexed biceps: medium-dark skin tone
        💪🏿	flexed biceps: dark skin tone
        🦾	mechanical arm	accessibility prosthetic
        🦿	mechanical leg	accessibility prosthetic
        🦵	leg	kick limb
        🦵🏻	leg: light skin tone
        🦵🏼	leg: medium-light skin tone
        🦵🏽	leg: medium skin tone
        🦵🏾	leg: medium-dark skin tone
        🦵🏿	leg: dark skin tone
        🦶	foot	kick stomp
        🦶🏻	foot: light skin tone
        🦶🏼	foot: medium-light skin tone
        🦶🏽	foot: medium skin tone
        🦶🏾	foot: medium-dark skin tone
        🦶🏿	foot: dark skin tone
        👂	ear	body
        👂🏻	ear: light skin tone
        👂🏼	ear: medium-light skin tone
        👂🏽	ear: medium skin tone
        👂🏾	ear: medium-dark skin tone
        👂🏿	ear: dark skin tone
        🦻	ear with hearing aid	accessibility hard of
        🦻🏻	ear with hearing aid: light skin tone
        🦻🏼	ear with hearing aid: medium-light skin tone
        🦻🏽	ear with hearing aid: medium skin tone
        🦻🏾	ear with hearing aid: medium-dark skin tone
        🦻🏿	ear with hearing aid: dark skin tone
        👃	nose	body
        👃🏻	nose: light skin tone
        👃🏼	nose: medium-light skin tone
        👃🏽	nose: medium skin tone
        👃🏾	nose: medium-dark skin tone
        👃🏿	nose: dark skin tone
        🧠	brain	intelligent
        🫀	anatomical heart	cardiology organ pulse
        🫁	lungs	breath exhalation inhalation organ respiration
        🦷	tooth	dentist
        🦴	bone	skeleton
        👀	eyes	eye face
        👁️	eye	body
        👅	tongue	body
        👄	mouth	lips
        🫦	biting lip	anxious fear flirting nervous uncomfortable worried
        👶	baby	young
        👶🏻	baby: light skin tone
        👶🏼	baby: medium-light skin tone
        👶🏽	baby: medium skin tone
        👶🏾	baby: medium-dark skin tone
        👶🏿	baby: dark skin tone
        🧒	child	gender neutral unspecified young
        🧒🏻	child: light skin tone
        🧒🏼	child: medium-light skin tone
        🧒🏽	child: medium skin tone
        🧒🏾	child: medium-dark skin tone
        🧒🏿	child: dark skin tone
        👦	boy	young
        👦🏻	boy: light skin tone
        👦🏼	boy: medium-light skin tone
        👦🏽	boy: medium skin tone
        👦🏾	boy: medium-dark skin tone
        👦🏿	boy: dark skin tone
        👧	girl	virgo young zodiac
        👧🏻	girl: light skin tone
        👧🏼	girl: medium-light skin tone
        👧🏽	girl: medium skin tone
        👧🏾	girl: medium-dark skin tone
        👧🏿	girl: dark skin tone
        🧑	person	adult gender neutral unspecified
        🧑🏻	person: light skin tone
        🧑🏼	person: medium-light skin tone
        🧑🏽	person: medium skin tone
        🧑🏾	person: medium-dark skin tone
        🧑🏿	person: dark skin tone
        👱	person: blond hair	haired
        👱🏻	person: light skin tone, blond hair
        👱🏼	person: medium-light skin tone, blond hair
        👱🏽	person: medium skin tone, blond hair
        👱🏾	person: medium-dark skin tone, blond hair
        👱🏿	person: dark skin tone, blond hair
        👨	man	adult
        👨🏻	man: light skin tone
        👨🏼	man: medium-light skin tone
        👨🏽	man: medium skin tone
        👨🏾	man: medium-dark skin tone
        👨🏿	man: dark skin tone
        🧔	person: beard
        🧔🏻	person: light skin tone, beard
        🧔🏼	person: medium-light skin tone, beard
        🧔🏽	person: medium skin tone, beard
        🧔🏾	person: medium-dark skin tone, beard
        🧔🏿	person: dark skin tone, beard
        🧔‍♂️	man: beard
        🧔🏻‍♂️	man: light skin tone, beard
        🧔🏼‍♂️	man: medium-light skin tone, beard
        🧔🏽‍♂️	man: medium skin tone, beard
        🧔🏾‍♂️	man: medium-dark skin tone, beard
        🧔🏿‍♂️	man: dark skin tone, beard
        🧔‍♀️	woman: beard
        🧔🏻‍♀️	woman: light skin tone, beard
        🧔🏼‍♀️	woman: medium-light skin tone, beard
        🧔🏽‍♀️	woman: medium skin tone, beard
        🧔🏾‍♀️	woman: medium-dark skin tone, beard
        🧔🏿‍♀️	woman: dark skin tone, beard
        👨‍🦰	man: red hair	adult
        👨🏻‍🦰	man: light skin tone, red hair
        👨🏼‍🦰	man: medium-light skin tone, red hair
        👨🏽‍🦰	man: medium skin tone, red hair
        👨🏾‍🦰	man: medium-dark skin tone, red hair
        👨🏿‍🦰	man: dark skin tone, red hair
        👨‍🦱	man: curly hair	adult
        👨🏻‍🦱	man: light skin tone, curly hair
        👨🏼‍🦱	man: medium-light skin tone, curly hair
        👨🏽‍🦱	man: medium skin tone, curly hair
        👨🏾‍🦱	man: medium-dark skin tone, curly hair
        👨🏿‍🦱	man: dark skin tone, curly hair
        👨‍🦳	man: white hair	adult
        👨🏻‍🦳	man: light skin tone, white hair
        👨🏼‍🦳	man: medium-light skin tone, white hair
        👨🏽‍🦳	man: medium skin tone, white hair
        👨🏾‍🦳	man: medium-dark skin tone, white hair
        👨🏿‍🦳	man: dark skin tone, white hair
        👨‍🦲	man: bald	adult
        👨🏻‍🦲	man: light skin tone, bald
        👨🏼‍🦲	man: medium-light skin tone, bald
        👨🏽‍🦲	man: medium skin tone, bald
        👨🏾‍🦲	man: medium-dark skin tone, bald
        👨🏿‍🦲	man: dark skin tone, bald
        👩	woman	adult
        👩🏻	woman: light skin tone
        👩🏼	woman: medium-light skin tone
        👩🏽	woman: medium skin tone
        👩🏾	woman: medium-dark skin tone
        👩🏿	woman: dark skin tone
        👩‍🦰	woman: red hair	adult
        👩🏻‍🦰	woman: light skin tone, red hair
        👩🏼‍🦰	woman: medium-light skin tone, red hair
        👩🏽‍🦰	woman: medium skin tone, red hair
        👩🏾‍🦰	woman: medium-dark skin tone, red hair
        👩🏿‍🦰	woman: dark skin tone, red hair
        🧑‍🦰	person: red hair	adult gender neutral unspecified
        🧑🏻‍🦰	person: light skin tone, red hair
        🧑🏼‍🦰	person: medium-light skin tone, red hair
        🧑🏽‍🦰	person: medium skin tone, red hair
        🧑🏾‍🦰	person: medium-dark skin tone, red hair
        🧑🏿‍🦰	person: dark skin tone, red hair
        👩‍🦱	woman: curly hair	adult
        👩🏻‍🦱	woman: light skin tone, curly hair
        👩🏼‍🦱	woman: medium-light skin tone, curly hair
        👩🏽‍🦱	woman: medium skin tone, curly hair
        👩🏾‍🦱	woman: medium-dark skin tone, curly hair
        👩🏿‍🦱	woman: dark skin tone, curly hair
        🧑‍🦱	person: curly hair	adult gender neutral unspecified
        🧑🏻‍🦱	person: light skin tone, curly hair
        🧑🏼‍🦱	person: medium-light skin tone, curly hair
        🧑🏽‍🦱	person: medium skin tone, curly hair
        🧑🏾‍🦱	person: medium-dark skin tone, curly hair
        🧑🏿‍🦱	person: dark skin tone, curly hair
        👩‍🦳	woman: white hair	adult
        👩🏻‍🦳	woman: light skin tone, white hair
        👩🏼‍🦳	woman: medium-light skin tone, white hair
        👩🏽‍🦳	woman: medium skin tone, white hair
        👩🏾‍🦳	woman: medium-dark skin tone, white hair
        👩🏿‍🦳	woman: dark skin tone, white hair
        🧑‍🦳	person: white hair	adult gender neutral unspecified
        🧑🏻‍🦳	person: light skin tone, white hair
        🧑🏼‍🦳	person: medium-light skin tone, white hair
        🧑🏽‍🦳	person: medium skin tone, white hair
        🧑🏾‍🦳	person: medium-dark skin tone, white hair
        🧑🏿‍🦳	person: dark skin tone, white hair
        👩‍🦲	woman: bald	adult
        👩🏻‍🦲	woman: light skin tone, bald
        👩🏼‍🦲	woman: medium-light skin tone, bald
        👩🏽‍🦲	woman: medium skin tone, bald
        👩🏾‍🦲	woman: medium-dark skin tone, bald
        👩🏿‍🦲	woman: dark skin tone, bald
        🧑‍🦲	person: bald	adult gender neutral unspecified
        🧑🏻‍🦲	person: light skin tone, bald
        🧑🏼‍🦲	person: medium-light skin tone, bald
        🧑🏽‍🦲	person: medium skin tone, bald
        🧑🏾‍🦲	person: medium-dark skin tone, bald
        🧑🏿‍🦲	person: dark skin tone, bald
        👱‍♀️	woman: blond hair	haired blonde
        👱🏻‍♀️	woman: light skin tone, blond hair
        👱🏼‍♀️	woman: medium-light skin tone, blond hair
        👱🏽‍♀️	woman: medium skin tone, blond hair
        👱🏾‍♀️	woman: medium-dark skin tone, blond hair
        👱🏿‍♀️	woman: dark skin tone, blond hair
        👱‍♂️	man: blond hair	haired
        👱🏻‍♂️	man: light skin tone, blond hair
        👱🏼‍♂️	man: medium-light skin tone, blond hair
        👱🏽‍♂️	man: medium skin tone, blond hair
        👱🏾‍♂️	man: medium-dark skin tone, blond hair
        👱🏿‍♂️	man: dark skin tone, blond hair
        🧓	older person	adult gender neutral old unspecified
        🧓🏻	older person: light skin tone
        🧓🏼	older person: medium-light skin tone
        🧓🏽	older person: medium skin tone
        🧓🏾	older person: medium-dark skin tone
        🧓🏿	older person: dark skin tone
        👴	old man	adult
        👴🏻	old man: light skin tone
        👴🏼	old man: medium-light skin tone
        👴🏽	old man: medium skin tone
        👴🏾	old man: medium-dark skin tone
        👴🏿	old man: dark skin tone
        👵	old woman	adult
        👵🏻	old woman: light skin tone
        👵🏼	old woman: medium-light skin tone
        👵🏽	old woman: medium skin tone
        👵🏾	old woman: medium-dark skin tone
        👵🏿	old woman: dark skin tone
        🙍	person frowning	frown gesture
        🙍🏻	person frowning: light skin tone
        🙍🏼	person frowning: medium-light skin tone
        🙍🏽	person frowning: medium skin tone
        🙍🏾	person frowning: medium-dark skin tone
        🙍🏿	person frowning: dark skin tone
        🙍‍♂️	man frowning	gesture
        🙍🏻‍♂️	man frowning: light skin tone
        🙍🏼‍♂️	man frowning: medium-light skin tone
        🙍🏽‍♂️	man frowning: medium skin tone
        🙍🏾‍♂️	man frowning: medium-dark skin tone
        🙍🏿‍♂️	man frowning: dark skin tone
        🙍‍♀️	woman frowning	gesture
        🙍🏻‍♀️	woman frowning: light skin tone
        🙍🏼‍♀️	woman frowning: medium-light skin tone
        🙍🏽‍♀️	woman frowning: medium skin tone
        🙍🏾‍♀️	woman frowning: medium-dark skin tone
        🙍🏿‍♀️	woman frowning: dark skin tone
        🙎	person pouting	gesture
        🙎🏻	person pouting: light skin tone
        🙎🏼	person pouting: medium-light skin tone
        🙎🏽	person pouting: medium skin tone
        🙎🏾	person pouting: medium-dark skin tone
        🙎🏿	person pouting: dark skin tone
        🙎‍♂️	man pouting	gesture
        🙎🏻‍♂️	man pouting: light skin tone
        🙎🏼‍♂️	man pouting: medium-light skin tone
        🙎🏽‍♂️	man pouting: medium skin tone
        🙎🏾‍♂️	man pouting: medium-dark skin tone
        🙎🏿‍♂️	man pouting: dark skin tone
        🙎‍♀️	woman pouting	gesture
        🙎🏻‍♀️	woman pouting: light skin tone
        🙎🏼‍♀️	woman pouting: medium-light skin tone
        🙎🏽‍♀️	woman pouting: medium skin tone
        🙎🏾‍♀️	woman pouting: medium-dark skin tone
        🙎🏿‍♀️	woman pouting: dark skin tone
        🙅	person gesturing NO	forbidden gesture hand prohibited
        🙅🏻	person gesturing NO: light skin tone
        🙅🏼	person gesturing NO: medium-light skin tone
        🙅🏽	person gesturing NO: medium skin tone
        🙅🏾	person gesturing NO: medium-dark skin tone
        🙅🏿	person gesturing NO: dark skin tone
        🙅‍♂️	man gesturing NO	forbidden gesture hand prohibited
        🙅🏻‍♂️	man gesturing NO: light skin tone
        🙅🏼‍♂️	man gesturing NO: medium-light skin tone
        🙅🏽‍♂️	man gesturing NO: medium skin tone
        🙅🏾‍♂️	man gesturing NO: medium-dark skin tone
        🙅🏿‍♂️	man gesturing NO: dark skin tone
        🙅‍♀️	woman gesturing NO	forbidden gesture hand prohibited
        🙅🏻‍♀️	woman gesturing NO: light skin tone
        🙅🏼‍♀️	woman gesturing NO: medium-light skin tone
        🙅🏽‍♀️	woman gesturing NO: medium skin tone
        🙅🏾‍♀️	woman gesturing NO: medium-dark skin tone
        🙅🏿‍♀️	woman gesturing NO: dark skin tone
        🙆	person gesturing OK	gesture hand
        🙆🏻	person gesturing OK: light skin tone
        🙆🏼	person gesturing OK: medium-light skin tone
        🙆🏽	person gesturing OK: medium skin tone
        🙆🏾	person gesturing OK: medium-dark skin tone
        🙆🏿	person gesturing OK: dark skin tone
        🙆‍♂️	man gesturing OK	gesture hand
        🙆🏻‍♂️	man gesturing OK: light skin tone
        🙆🏼‍♂️	man gesturing OK: medium-light skin tone
        🙆🏽‍♂️	man gesturing OK: medium skin tone
        🙆🏾‍♂️	man gesturing OK: medium-dark skin tone
        🙆🏿‍♂️	man gesturing OK: dark skin tone
        🙆‍♀️	woman gesturing OK	gesture hand
        🙆🏻‍♀️	woman gesturing OK: light skin tone
        🙆🏼‍♀️	woman gesturing OK: medium-light skin tone
        🙆🏽‍♀️	woman gesturing OK: medium skin tone
        🙆🏾‍♀️	woman gesturing OK: medium-dark skin tone
        🙆🏿‍♀️	woman gesturing OK: dark skin tone
        💁	person tipping hand	help information sassy
        💁🏻	person tipping hand: light skin tone
        💁🏼	person tipping hand: medium-light skin tone
        💁🏽	person tipping hand: medium skin tone
        💁🏾	person tipping hand: medium-dark skin tone
        💁🏿	person tipping hand: dark skin tone
        💁‍♂️	man tipping hand	sassy
        💁🏻‍♂️	man tipping hand: light skin tone
        💁🏼‍♂️	man tipping hand: medium-light skin tone
        💁🏽‍♂️	man tipping hand: medium skin tone
        💁🏾‍♂️	man tipping hand: medium-dark skin tone
        💁🏿‍♂️	man tipping hand: dark skin tone
        💁‍♀️	woman tipping hand	sassy
        💁🏻‍♀️	woman tipping hand: light skin tone
        💁🏼‍♀️	woman tipping hand: medium-light skin tone
        💁🏽‍♀️	woman tipping hand: medium skin tone
        💁🏾‍♀️	woman tipping hand: medium-dark skin tone
        💁🏿‍♀️	woman tipping hand: dark skin tone
        🙋	person raising hand	gesture happy raised
        🙋🏻	person raising hand: light skin tone
        🙋🏼	person raising hand: medium-light skin tone
        🙋🏽	person raising hand: medium skin tone
        🙋🏾	person raising hand: medium-dark skin tone
        🙋🏿	person raising hand: dark skin tone
        🙋‍♂️	man raising hand	gesture
        🙋🏻‍♂️	man raising hand: light skin tone
        🙋🏼‍♂️	man raising hand: medium-light skin tone
        🙋🏽‍♂️	man raising hand: medium skin tone
        🙋🏾‍♂️	man raising hand: medium-dark skin tone
        🙋🏿‍♂️	man raising hand: dark skin tone
        🙋‍♀️	woman raising hand	gesture
        🙋🏻‍♀️	woman raising hand: light skin tone
        🙋🏼‍♀️	woman raising hand: medium-light skin tone
        🙋🏽‍♀️	woman raising hand: medium skin tone
        🙋🏾‍♀️	woman raising hand: medium-dark skin tone
        🙋🏿‍♀️	woman raising hand: dark skin tone
        🧏	deaf person	accessibility ear hear
        🧏🏻	deaf person: light skin tone
        🧏🏼	deaf person: medium-light skin tone
        🧏🏽	deaf person: medium skin tone
        🧏🏾	deaf person: medium-dark skin tone
        🧏🏿	deaf person: dark skin tone
        🧏‍♂️	deaf man
        🧏🏻‍♂️	deaf man: light skin tone
        🧏🏼‍♂️	deaf man: medium-light skin tone
        🧏🏽‍♂️	deaf man: medium skin tone
        🧏🏾‍♂️	deaf man: medium-dark skin tone
        🧏🏿‍♂️	deaf man: dark skin tone
        🧏‍♀️	deaf woman
        🧏🏻‍♀️	deaf woman: light skin tone
        🧏🏼‍♀️	deaf woman: medium-light skin tone
        🧏🏽‍♀️	deaf woman: medium skin tone
        🧏🏾‍♀️	deaf woman: medium-dark skin tone
        🧏🏿‍♀️	deaf woman: dark skin tone
        🙇	person bowing	apology bow gesture sorry
        🙇🏻	person bowing: light skin tone
        🙇🏼	person bowing: medium-light skin tone
        🙇🏽	person bowing: medium skin tone
        🙇🏾	person bowing: medium-dark skin tone
        🙇🏿	person bowing: dark skin tone
        🙇‍♂️	man bowing	apology favor gesture sorry
        🙇🏻‍♂️	man bowing: light skin tone
        🙇🏼‍♂️	man bowing: medium-light skin tone
        🙇🏽‍♂️	man bowing: medium skin tone
        🙇🏾‍♂️	man bowing: medium-dark skin tone
        🙇🏿‍♂️	man bowing: dark skin tone
        🙇‍♀️	woman bowing	apology favor gesture sorry
        🙇🏻‍♀️	woman bowing: light skin tone
        🙇🏼‍♀️	woman bowing: medium-light skin tone
        🙇🏽‍♀️	woman bowing: medium skin tone
        🙇🏾‍♀️	woman bowing: medium-dark skin tone
        🙇🏿‍♀️	woman bowing: dark skin tone
        🤦	person facepalming	disbelief exasperation face palm
        🤦🏻	person facepalming: light skin tone
        🤦🏼	person facepalming: medium-light skin tone
        🤦🏽	person facepalming: medium skin tone
        🤦🏾	person facepalming: medium-dark skin tone
        🤦🏿	person facepalming: dark skin tone
        🤦‍♂️	man facepalming	disbelief exasperation facepalm
        🤦🏻‍♂️	man facepalming: light skin tone
        🤦🏼‍♂️	man facepalming: medium-light skin tone
        🤦🏽‍♂️	man facepalming: medium skin tone
        🤦🏾‍♂️	man facepalming: medium-dark skin tone
        🤦🏿‍♂️	man facepalming: dark skin tone
        🤦‍♀️	woman facepalming	disbelief exasperation facepalm
        🤦🏻‍♀️	woman facepalming: light skin tone
        🤦🏼‍♀️	woman facepalming: medium-light skin tone
        🤦🏽‍♀️	woman facepalming: medium skin tone
        🤦🏾‍♀️	woman facepalming: medium-dark skin tone
        🤦🏿‍♀️	woman facepalming: dark skin tone
        🤷	person shrugging	doubt ignorance indifference shrug
        🤷🏻	person shrugging: light skin tone
        🤷🏼	person shrugging: medium-light skin tone
        🤷🏽	person shrugging: medium skin tone
        🤷🏾	person shrugging: medium-dark skin tone
        🤷🏿	person shrugging: dark skin tone
        🤷‍♂️	man shrugging	doubt ignorance indifference shrug
        🤷🏻‍♂️	man shrugging: light skin tone
        🤷🏼‍♂️	man shrugging: medium-light skin tone
        🤷🏽‍♂️	man shrugging: medium skin tone
        🤷🏾‍♂️	man shrugging: medium-dark skin tone
        🤷🏿‍♂️	man shrugging: dark skin tone
        🤷‍♀️	woman shrugging	doubt ignorance indifference shrug
        🤷🏻‍♀️	woman shrugging: light skin tone
        🤷🏼‍♀️	woman shrugging: medium-light skin tone
        🤷🏽‍♀️	woman shrugging: medium skin tone
        🤷🏾‍♀️	woman shrugging: medium-dark skin tone
        🤷🏿‍♀️	woman shrugging: dark skin tone
        🧑‍⚕️	health worker	doctor healthcare nurse therapist
        🧑🏻‍⚕️	health worker: light skin tone
        🧑🏼‍⚕️	health worker: medium-light skin tone
        🧑🏽‍⚕️	health worker: medium skin tone
        🧑🏾‍⚕️	health worker: medium-dark skin tone
        🧑🏿‍⚕️	health worker: dark skin tone
        👨‍⚕️	man health worker	doctor healthcare nurse therapist
        👨🏻‍⚕️	man health worker: light skin tone
        👨🏼‍⚕️	man health worker: medium-light skin tone
        👨🏽‍⚕️	man health worker: medium skin tone
        👨🏾‍⚕️	man health worker: medium-dark skin tone
        👨🏿‍⚕️	man health worker: dark skin tone
        👩‍⚕️	woman health worker	doctor healthcare nurse therapist
        👩🏻‍⚕️	woman health worker: light skin tone
        👩🏼‍⚕️	woman health worker: medium-light skin tone
        👩🏽‍⚕️	woman health worker: medium skin tone
        👩🏾‍⚕️	woman health worker: medium-dark skin tone
        👩🏿‍⚕️	woman health worker: dark skin tone
        🧑‍🎓	student	graduate
        🧑🏻‍🎓	student: light skin tone
        🧑🏼‍🎓	student: medium-light skin tone
        🧑🏽‍🎓	student: medium skin tone
        🧑🏾‍🎓	student: medium-dark skin tone
        🧑🏿‍🎓	student: dark skin tone
        👨‍🎓	man student	graduate
        👨🏻‍🎓	man student: light skin tone
        👨🏼‍🎓	man student: medium-light skin tone
        👨🏽‍🎓	man student: medium skin tone
        👨🏾‍🎓	man student: medium-dark skin tone
        👨🏿‍🎓	man student: dark skin tone
        👩‍🎓	woman student	graduate
        👩🏻‍🎓	woman student: light skin tone
        👩🏼‍🎓	woman student: medium-light skin tone
        👩🏽‍🎓	woman student: medium skin tone
        👩🏾‍🎓	woman student: medium-dark skin tone
        👩🏿‍🎓	woman student: dark skin tone
        🧑‍🏫	teacher	instructor professor
        🧑🏻‍🏫	teacher: light skin tone
        🧑🏼‍🏫	teacher: medium-light skin tone
        🧑🏽‍🏫	teacher: medium skin tone
        🧑🏾‍🏫	teacher: medium-dark skin tone
        🧑🏿‍🏫	teacher: dark skin tone
        👨‍🏫	man teacher	instructor professor
        👨🏻‍🏫	man teacher: light skin tone
        👨🏼‍🏫	man teacher: medium-light skin tone
        👨🏽‍🏫	man teacher: medium skin tone
        👨🏾‍🏫	man teacher: medium-dark skin tone
        👨🏿‍🏫	man teacher: dark skin tone
        👩‍🏫	woman teacher	instructor professor
        👩🏻‍🏫	woman teacher: light skin tone
        👩🏼‍🏫	woman teacher: medium-light skin tone
        👩🏽‍🏫	woman teacher: medium skin tone
        👩🏾‍🏫	woman teacher: medium-dark skin tone
        👩🏿‍🏫	woman teacher: dark skin tone
        🧑‍⚖️	judge	justice scales
        🧑🏻‍⚖️	judge: light skin tone
        🧑🏼‍⚖️	judge: medium-light skin tone
        🧑🏽‍⚖️	judge: medium skin tone
        🧑🏾‍⚖️	judge: medium-dark skin tone
        🧑🏿‍⚖️	judge: dark skin tone
        👨‍⚖️	man judge	justice scales
        👨🏻‍⚖️	man judge: light skin tone
        👨🏼‍⚖️	man judge: medium-light skin tone
        👨🏽‍⚖️	man judge: medium skin tone
        👨🏾‍⚖️	man judge: medium-dark skin tone
        👨🏿‍⚖️	man judge: dark skin tone
        👩‍⚖️	woman judge	justice scales
        👩🏻‍⚖️	woman judge: light skin tone
        👩🏼‍⚖️	woman judge: medium-light skin tone
        👩🏽‍⚖️	woman judge: medium skin tone
        👩🏾‍⚖️	woman judge: medium-dark skin tone
        👩🏿‍⚖️	woman judge: dark skin tone
        🧑‍🌾	farmer	gardener rancher
        🧑🏻‍🌾	farmer: light skin tone
        🧑🏼‍🌾	farmer: medium-light skin tone
        🧑🏽‍🌾	farmer: medium skin tone
        🧑🏾‍🌾	farmer: medium-dark skin tone
        🧑🏿‍🌾	farmer: dark skin tone
        👨‍🌾	man farmer	gardener rancher
        👨🏻‍🌾	man farmer: light skin tone
        👨🏼‍🌾	man farmer: medium-light skin tone
        👨🏽‍🌾	man farmer: medium skin tone
        👨🏾‍🌾	man farmer: medium-dark skin tone
        👨🏿‍🌾	man farmer: dark skin tone
        👩‍🌾	woman farmer	gardener rancher
        👩🏻‍🌾	woman farmer: light skin tone
        👩🏼‍🌾	woman farmer: medium-light skin tone
        👩🏽‍🌾	woman farmer: medium skin tone
        👩🏾‍🌾	woman farmer: medium-dark skin tone
        👩🏿‍🌾	woman farmer: dark skin tone
        🧑‍🍳	cook	chef
        🧑🏻‍🍳	cook: light skin tone
        🧑🏼‍🍳	cook: medium-light skin tone
        🧑🏽‍🍳	cook: medium skin tone
        🧑🏾‍🍳	cook: medium-dark skin tone
        🧑🏿‍🍳	cook: dark skin tone
        👨‍🍳	man cook	chef
        👨🏻‍🍳	man cook: light skin tone
        👨🏼‍🍳	man cook: medium-light skin tone
        👨🏽‍🍳	man cook: medium skin tone
        👨🏾‍🍳	man cook: medium-dark skin tone
        👨🏿‍🍳	man cook: dark skin tone
        👩‍🍳	woman cook	chef
        👩🏻‍🍳	woman cook: light skin tone
        👩🏼‍🍳	woman cook: medium-light skin tone
        👩🏽‍🍳	woman cook: medium skin tone
        👩🏾‍🍳	woman cook: medium-dark skin tone
        👩🏿‍🍳	woman cook: dark skin tone
        🧑‍🔧	mechanic	electrician plumber tradesperson
        🧑🏻‍🔧	mechanic: light skin tone
        🧑🏼‍🔧	mechanic: medium-light skin tone
        🧑🏽‍🔧	mechanic: medium skin tone
        🧑🏾‍🔧	mechanic: medium-dark skin tone
        🧑🏿‍🔧	mechanic: dark skin tone
        👨‍🔧	man mechanic	electrician plumber tradesperson
        👨🏻‍🔧	man mechanic: light skin tone
        👨🏼‍🔧	man mechanic: medium-light skin tone
        👨🏽‍🔧	man mechanic: medium skin tone
        👨🏾‍🔧	man mechanic: medium-dark skin tone
        👨🏿‍🔧	man mechanic: dark skin tone
        👩‍🔧	woman mechanic	electrician plumber tradesperson
        👩🏻‍🔧	woman mechanic: light skin tone
        👩🏼‍🔧	woman mechanic: medium-light skin tone
        👩🏽‍🔧	woman mechanic: medium skin tone
        👩🏾‍🔧	woman mechanic: medium-dark skin tone
        👩🏿‍🔧	woman mechanic: dark skin tone
        🧑‍🏭	factory worker	assembly industrial
        🧑🏻‍🏭	factory worker: light skin tone
        🧑🏼‍🏭	factory worker: medium-light skin tone
        🧑🏽‍🏭	factory worker: medium skin tone
        🧑🏾‍🏭	factory worker: medium-dark skin tone
        🧑🏿‍🏭	factory worker: dark skin tone
        👨‍🏭	man factory worker	assembly industrial
        👨🏻‍🏭	man factory worker: light skin tone
        👨🏼‍🏭	man factory worker: medium-light skin tone
        👨🏽‍🏭	man factory worker: medium skin tone
        👨🏾‍🏭	man factory worker: medium-dark skin tone
        👨🏿‍🏭	man factory worker: dark skin tone
        👩‍🏭	woman factory worker	assembly industrial
        👩🏻‍🏭	woman factory worker: light skin tone
        👩🏼‍🏭	woman factory worker: medium-light skin tone
        👩🏽‍🏭	woman factory worker: medium skin tone
        👩🏾‍🏭	woman factory worker: medium-dark skin tone
        👩🏿‍🏭	woman factory worker: dark skin tone
        🧑‍💼	office worker	architect business manager white collar
        🧑🏻‍💼	office worker: light skin tone
        🧑🏼‍💼	office worker: medium-light skin tone
        🧑🏽‍💼	office worker: medium skin tone
        🧑🏾‍💼	office worker: medium-dark skin tone
        🧑🏿‍💼	office worker: dark skin tone
        👨‍💼	man office worker	architect business manager white collar
        👨🏻‍💼	man office worker: light skin tone
        👨🏼‍💼	man office worker: medium-light skin tone
        👨🏽‍💼	man office worker: medium skin tone
        👨🏾‍💼	man office worker: medium-dark skin tone
        👨🏿‍💼	man office worker: dark skin tone
        👩‍💼	woman office worker	architect business manager white collar
        👩🏻‍💼	woman office worker: light skin tone
        👩🏼‍💼	woman office worker: medium-light skin tone
        👩🏽‍💼	woman office worker: medium skin tone
        👩🏾‍💼	woman office worker: medium-dark skin tone
        👩🏿‍💼	woman office worker: dark skin tone
        🧑‍🔬	scientist	biologist chemist engineer physicist
        🧑🏻‍🔬	scientist: light skin tone
        🧑🏼‍🔬	scientist: medium-light skin tone
        🧑🏽‍🔬	scientist: medium skin tone
        🧑🏾‍🔬	scientist: medium-dark skin tone
        🧑🏿‍🔬	scientist: dark skin tone
        👨‍🔬	man scientist	biologist chemist engineer physicist
        👨🏻‍🔬	man scientist: light skin tone
        👨🏼‍🔬	man scientist: medium-light skin tone
        👨🏽‍🔬	man scientist: medium skin tone
        👨🏾‍🔬	man scientist: medium-dark skin tone
        👨🏿‍🔬	man scientist: dark skin tone
        👩‍🔬	woman scientist	biologist chemist engineer physicist
        👩🏻‍🔬	woman scientist: light skin tone
        👩🏼‍🔬	woman scientist: medium-light skin tone
        👩🏽‍🔬	woman scientist: medium skin tone
        👩🏾‍🔬	woman scientist: medium-dark skin tone
        👩🏿‍🔬	woman scientist: dark skin tone
        🧑‍💻	technologist	coder developer inventor software
        🧑🏻‍💻	technologist: light skin tone
        🧑🏼‍💻	technologist: medium-light skin tone
        🧑🏽‍💻	technologist: medium skin tone
        🧑🏾‍💻	technologist: medium-dark skin tone
        🧑🏿‍💻	technologist: dark skin tone
        👨‍💻	man technologist	coder developer inventor software
        👨🏻‍💻	man technologist: light skin tone
        👨🏼‍💻	man technologist: medium-light skin tone
        👨🏽‍💻	man technologist: medium skin tone
        👨🏾‍💻	man technologist: medium-dark skin tone
        👨🏿‍💻	man technologist: dark skin tone
        👩‍💻	woman technologist	coder developer inventor software
        👩🏻‍💻	woman technologist: light skin tone
        👩🏼‍💻	woman technologist: medium-light skin tone
        👩🏽‍💻	woman technologist: medium skin tone
        👩🏾‍💻	woman technologist: medium-dark skin tone
        👩🏿‍💻	woman technologist: dark skin tone
        🧑‍🎤	singer	actor entertainer rock star
        🧑🏻‍🎤	singer: light skin tone
        🧑🏼‍🎤	singer: medium-light skin tone
        🧑🏽‍🎤	singer: medium skin tone
        🧑🏾‍🎤	singer: medium-dark skin tone
        🧑🏿‍🎤	singer: dark skin tone
        👨‍🎤	man singer	actor entertainer rock star
        👨🏻‍🎤	man singer: light skin tone
        👨🏼‍🎤	man singer: medium-light skin tone
        👨🏽‍🎤	man singer: medium skin tone
        👨🏾‍🎤	man singer: medium-dark skin tone
        👨🏿‍🎤	man singer: dark skin tone
        👩‍🎤	woman singer	actor entertainer rock star
        👩🏻‍🎤	woman singer: light skin tone
        👩🏼‍🎤	woman singer: medium-light skin tone
        👩🏽‍🎤	woman singer: medium skin tone
        👩🏾‍🎤	woman singer: medium-dark skin tone
        👩🏿‍🎤	woman singer: dark skin tone
        🧑‍🎨	artist	palette
        🧑🏻‍🎨	artist: light skin tone
        🧑🏼‍🎨	artist: medium-light skin tone
        🧑🏽‍🎨	artist: medium skin tone
        🧑🏾‍🎨	artist: medium-dark skin tone
        🧑🏿‍🎨	artist: dark skin tone
        👨‍🎨	man artist	palette
        👨🏻‍🎨	man artist: light skin tone
        👨🏼‍🎨	man artist: medium-light skin tone
        👨🏽‍🎨	man artist: medium skin tone
        👨🏾‍🎨	man artist: medium-dark skin tone
        👨🏿‍🎨	man artist: dark skin tone
        👩‍🎨	woman artist	palette
        👩🏻‍🎨	woman artist: light skin tone
        👩🏼‍🎨	woman artist: medium-light skin tone
        👩🏽‍🎨	woman artist: medium skin tone
        👩🏾‍🎨	woman artist: medium-dark skin tone
        👩🏿‍🎨	woman artist: dark skin tone
        🧑‍✈️	pilot	plane
        🧑🏻‍✈️	pilot: light skin tone
        🧑🏼‍✈️	pilot: medium-light skin tone
        🧑🏽‍✈️	pilot: medium skin tone
        🧑🏾‍✈️	pilot: medium-dark skin tone
        🧑🏿‍✈️	pilot: dark skin tone
        👨‍✈️	man pilot	plane
        👨🏻‍✈️	man pilot: light skin tone
        👨🏼‍✈️	man pilot: medium-light skin tone
        👨🏽‍✈️	man pilot: medium skin tone
        👨🏾‍✈️	man pilot: medium-dark skin tone
        👨🏿‍✈️	man pilot: dark skin tone
        👩‍✈️	woman pilot	plane
        👩🏻‍✈️	woman pilot: light skin tone
        👩🏼‍✈️	woman pilot: medium-light skin tone
        👩🏽‍✈️	woman pilot: medium skin tone
        👩🏾‍✈️	woman pilot: medium-dark skin tone
        👩🏿‍✈️	woman pilot: dark skin tone
        🧑‍🚀	astronaut	rocket
        🧑🏻‍🚀	astronaut: light skin tone
        🧑🏼‍🚀	astronaut: medium-light skin tone
        🧑🏽‍🚀	astronaut: medium skin tone
        🧑🏾‍🚀	astronaut: medium-dark skin tone
        🧑🏿‍🚀	astronaut: dark skin tone
        👨‍🚀	man astronaut	rocket
        👨🏻‍🚀	man astronaut: light skin tone
        👨🏼‍🚀	man astronaut: medium-light skin tone
        👨🏽‍🚀	man astronaut: medium skin tone
        👨🏾‍🚀	man astronaut: medium-dark skin tone
        👨🏿‍🚀	man astronaut: dark skin tone
        👩‍🚀	woman astronaut	rocket
        👩🏻‍🚀	woman astronaut: light skin tone
        👩🏼‍🚀	woman astronaut: medium-light skin tone
        👩🏽‍🚀	woman astronaut: medium skin tone
        👩🏾‍🚀	woman astronaut: medium-dark skin tone
        👩🏿‍🚀	woman astronaut: dark skin tone
        🧑‍🚒	firefighter	firetruck
        🧑🏻‍🚒	firefighter: light skin tone
        🧑🏼‍🚒	firefighter: medium-light skin tone
        🧑🏽‍🚒	firefighter: medium skin tone
        🧑🏾‍🚒	firefighter: medium-dark skin tone
        🧑🏿‍🚒	firefighter: dark skin tone
        👨‍🚒	man firefighter	firetruck
        👨🏻‍🚒	man firefighter: light skin tone
        👨🏼‍🚒	man firefighter: medium-light skin tone
        👨🏽‍🚒	man firefighter: medium skin tone
        👨🏾‍🚒	man firefighter: medium-dark skin tone
        👨🏿‍🚒	man firefighter: dark skin tone
        👩‍🚒	woman firefighter	firetruck
        👩🏻‍🚒	woman firefighter: light skin tone
        👩🏼‍🚒	woman firefighter: medium-light skin tone
        👩🏽‍🚒	woman firefighter: medium skin tone
        👩🏾‍🚒	woman firefighter: medium-dark skin tone
        👩🏿‍🚒	woman firefighter: dark skin tone
        👮	police officer	cop
        👮🏻	police officer: light skin tone
        👮🏼	police officer: medium-light skin tone
        👮🏽	police officer: medium skin tone
        👮🏾	police officer: medium-dark skin tone
        👮🏿	police officer: dark skin tone
        👮‍♂️	man police officer	cop
        👮🏻‍♂️	man police officer: light skin tone
        👮🏼‍♂️	man police officer: medium-light skin tone
        👮🏽‍♂️	man police officer: medium skin tone
        👮🏾‍♂️	man police officer: medium-dark skin tone
        👮🏿‍♂️	man police officer: dark skin tone
        👮‍♀️	woman police officer	cop
        👮🏻‍♀️	woman police officer: light skin tone
        👮🏼‍♀️	woman police officer: medium-light skin tone
        👮🏽‍♀️	woman police officer: medium skin tone
        👮🏾‍♀️	woman police officer: medium-dark skin tone
        👮🏿‍♀️	woman police officer: dark skin tone
        🕵️	detective	sleuth spy
        🕵🏻	detective: light skin tone
        🕵🏼	detective: medium-light skin tone
        🕵🏽	detective: medium skin tone
        🕵🏾	detective: medium-dark skin tone
        🕵🏿	detective: dark skin tone
        🕵️‍♂️	man detective	sleuth spy
        🕵🏻‍♂️	man detective: light skin tone
        🕵🏼‍♂️	man detective: medium-light skin tone
        🕵🏽‍♂️	man detective: medium skin tone
        🕵🏾‍♂️	man detective: medium-dark skin tone
        🕵🏿‍♂️	man detective: dark skin tone
        🕵️‍♀️	woman detective	sleuth spy
        🕵🏻‍♀️	woman detective: light skin tone
        🕵🏼‍♀️	woman detective: medium-light skin tone
        🕵🏽‍♀️	woman detective: medium skin tone
        🕵🏾‍♀️	woman detective: medium-dark skin tone
        🕵🏿‍♀️	woman detective: dark skin tone
        💂	guard
        💂🏻	guard: light skin tone
        💂🏼	guard: medium-light skin tone
        💂🏽	guard: medium skin tone
        💂🏾	guard: medium-dark skin tone
        💂🏿	guard: dark skin tone
        💂‍♂️	man guard
        💂🏻‍♂️	man guard: light skin tone
        💂🏼‍♂️	man guard: medium-light skin tone
        💂🏽‍♂️	man guard: medium skin tone
        💂🏾‍♂️	man guard: medium-dark skin tone
        💂🏿‍♂️	man guard: dark skin tone
        💂‍♀️	woman guard
        💂🏻‍♀️	woman guard: light skin tone
        💂🏼‍♀️	woman guard: medium-light skin tone
        💂🏽‍♀️	woman guard: medium skin tone
        💂🏾‍♀️	woman guard: medium-dark skin tone
        💂🏿‍♀️	woman guard: dark skin tone
        🥷	ninja	fighter hidden stealth
        🥷🏻	ninja: light skin tone
        🥷🏼	ninja: medium-light skin tone
        🥷🏽	ninja: medium skin tone
        🥷🏾	ninja: medium-dark skin tone
        🥷🏿	ninja: dark skin tone
        👷	construction worker	hat
        👷🏻	construction worker: light skin tone
        👷🏼	construction worker: medium-light skin tone
        👷🏽	construction worker: medium skin tone
        👷🏾	construction worker: medium-dark skin tone
        👷🏿	construction worker: dark skin tone
        👷‍♂️	man construction worker
        👷🏻‍♂️	man construction worker: light skin tone
        👷🏼‍♂️	man construction worker: medium-light skin tone
        👷🏽‍♂️	man construction worker: medium skin tone
        👷🏾‍♂️	man construction worker: medium-dark skin tone
        👷🏿‍♂️	man construction worker: dark skin tone
        👷‍♀️	woman construction worker
        👷🏻‍♀️	woman construction worker: light skin tone
        👷🏼‍♀️	woman construction worker: medium-light skin tone
        👷🏽‍♀️	woman construction worker: medium skin tone
        👷🏾‍♀️	woman construction worker: medium-dark skin tone
        👷🏿‍♀️	woman construction worker: dark skin tone
        🫅	person with crown	monarch noble regal royalty
        🫅🏻	person with crown: light skin tone
        🫅🏼	person with crown: medium-light skin tone
        🫅🏽	person with crown: medium skin tone
        🫅🏾	person with crown: medium-dark skin tone
        🫅🏿	person with crown: dark skin tone
        🤴	prince
        🤴🏻	prince: light skin tone
        🤴🏼	prince: medium-light skin tone
        🤴🏽	prince: medium skin tone
        🤴🏾	prince: medium-dark skin tone
        🤴🏿	prince: dark skin tone
        👸	princess	fairy tale fantasy
        👸🏻	princess: light skin tone
        👸🏼	princess: medium-light skin tone
        👸🏽	princess: medium skin tone
        👸🏾	princess: medium-dark skin tone
        👸🏿	princess: dark skin tone
        👳	person wearing turban
        👳🏻	person wearing turban: light skin tone
        👳🏼	person wearing turban: medium-light skin tone
        👳🏽	person wearing turban: medium skin tone
        👳🏾	person wearing turban: medium-dark skin tone
        👳🏿	person wearing turban: dark skin tone
        👳‍♂️	man wearing turban
        👳🏻‍♂️	man wearing turban: light skin tone
        👳🏼‍♂️	man wearing turban: medium-light skin tone
        👳🏽‍♂️	man wearing turban: medium skin tone
        👳🏾‍♂️	man wearing turban: medium-dark skin tone
        👳🏿‍♂️	man wearing turban: dark skin tone
        👳‍♀️	woman wearing turban
        👳🏻‍♀️	woman wearing turban: light skin tone
        👳🏼‍♀️	woman wearing turban: medium-light skin tone
        👳🏽‍♀️	woman wearing turban: medium skin tone
        👳🏾‍♀️	woman wearing turban: medium-dark skin tone
        👳🏿‍♀️	woman wearing turban: dark skin tone
        👲	person with skullcap	cap gua pi mao hat
        👲🏻	person with skullcap: light skin tone
        👲🏼	person with skullcap: medium-light skin tone
        👲🏽	person with skullcap: medium skin tone
        👲🏾	person with skullcap: medium-dark skin tone
        👲🏿	person with skullcap: dark skin tone
        🧕	woman with headscarf	hijab mantilla tichel
        🧕🏻	woman with headscarf: light skin tone
        🧕🏼	woman with headscarf: medium-light skin tone
        🧕🏽	woman with headscarf: medium skin tone
        🧕🏾	woman with headscarf: medium-dark skin tone
        🧕🏿	woman with headscarf: dark skin tone
        🤵	person in tuxedo	groom
        🤵🏻	person in tuxedo: light skin tone
        🤵🏼	person in tuxedo: medium-light skin tone
        🤵🏽	person in tuxedo: medium skin tone
        🤵🏾	person in tuxedo: medium-dark skin tone
        🤵🏿	person in tuxedo: dark skin tone
        🤵‍♂️	man in tuxedo
        🤵🏻‍♂️	man in tuxedo: light skin tone
        🤵🏼‍♂️	man in tuxedo: medium-light skin tone
        🤵🏽‍♂️	man in tuxedo: medium skin tone
        🤵🏾‍♂️	man in tuxedo: medium-dark skin tone
        🤵🏿‍♂️	man in tuxedo: dark skin tone
        🤵‍♀️	woman in tuxedo
        🤵🏻‍♀️	woman in tuxedo: light skin tone
        🤵🏼‍♀️	woman in tuxedo: medium-light skin tone
        🤵🏽‍♀️	woman in tuxedo: medium skin tone
        🤵🏾‍♀️	woman in tuxedo: medium-dark skin tone
        🤵🏿‍♀️	woman in tuxedo: dark skin tone
        👰	person with veil	bride wedding
        👰🏻	person with veil: light skin tone
        👰🏼	person with veil: medium-light skin tone
        👰🏽	person with veil: medium skin tone
        👰🏾	person with veil: medium-dark skin tone
        👰🏿	person with veil: dark skin tone
        👰‍♂️	man with veil
        👰🏻‍♂️	man with veil: light skin tone
        👰🏼‍♂️	man with veil: medium-light skin tone
        👰🏽‍♂️	man with veil: medium skin tone
        👰🏾‍♂️	man with veil: medium-dark skin tone
        👰🏿‍♂️	man with veil: dark skin tone
        👰‍♀️	woman with veil
        👰🏻‍♀️	woman with veil: light skin tone
        👰🏼‍♀️	woman with veil: medium-light skin tone
        👰🏽‍♀️	woman with veil: medium skin tone
        👰🏾‍♀️	woman with veil: medium-dark skin tone
        👰🏿‍♀️	woman with veil: dark skin tone
        🤰	pregnant woman
        🤰🏻	pregnant woman: light skin tone
        🤰🏼	pregnant woman: medium-light skin tone
        🤰🏽	pregnant woman: medium skin tone
        🤰🏾	pregnant woman: medium-dark skin tone
        🤰🏿	pregnant woman: dark skin tone
        🫃	pregnant man	belly bloated full
        🫃🏻	pregnant man: light skin tone
        🫃🏼	pregnant man: medium-light skin tone
        🫃🏽	pregnant man: medium skin tone
        🫃🏾	pregnant man: medium-dark skin tone
        🫃🏿	pregnant man: dark skin tone
        🫄	pregnant person	belly bloated full
        🫄🏻	pregnant person: light skin tone
        🫄🏼	pregnant person: medium-light skin tone
        🫄🏽	pregnant person: medium skin tone
        🫄🏾	pregnant person: medium-dark skin tone
        🫄🏿	pregnant person: dark skin tone
        🤱	breast-feeding	baby nursing
        🤱🏻	breast-feeding: light skin tone
        🤱🏼	breast-feeding: medium-light skin tone
        🤱🏽	breast-feeding: medium skin tone
        🤱🏾	breast-feeding: medium-dark skin tone
        🤱🏿	breast-feeding: dark skin tone
        👩‍🍼	woman feeding baby	nursing
        👩🏻‍🍼	woman feeding baby: light skin tone
        👩🏼‍🍼	woman feeding baby: medium-light skin tone
        👩🏽‍🍼	woman feeding baby: medium skin tone
        👩🏾‍🍼	woman feeding baby: medium-dark skin tone
        👩🏿‍🍼	woman feeding baby: dark skin tone
        👨‍🍼	man feeding baby	nursing
        👨🏻‍🍼	man feeding baby: light skin tone
        👨🏼‍🍼	man feeding baby: medium-light skin tone
        👨🏽‍🍼	man feeding baby: medium skin tone
        👨🏾‍🍼	man feeding baby: medium-dark skin tone
        👨🏿‍🍼	man feeding baby: dark skin tone
        🧑‍🍼	person feeding baby	nursing
        🧑🏻‍🍼	person feeding baby: light skin tone
        🧑🏼‍🍼	person feeding baby: medium-light skin tone
        🧑🏽‍🍼	person feeding baby: medium skin tone
        🧑🏾‍🍼	person feeding baby: medium-dark skin tone
        🧑🏿‍🍼	person feeding baby: dark skin tone
        👼	baby angel	face fairy tale fantasy
        👼🏻	baby angel: light skin tone
        👼🏼	baby angel: medium-light skin tone
        👼🏽	baby angel: medium skin tone
        👼🏾	baby angel: medium-dark skin tone
        👼🏿	baby angel: dark skin tone
        🎅	Santa Claus	celebration christmas father
        🎅🏻	Santa Claus: light skin tone
        🎅🏼	Santa Claus: medium-light skin tone
        🎅🏽	Santa Claus: medium skin tone
        🎅🏾	Santa Claus: medium-dark skin tone
        🎅🏿	Santa Claus: dark skin tone
        🤶	Mrs. Claus	celebration christmas mother
        🤶🏻	Mrs. Claus: light skin tone
        🤶🏼	Mrs. Claus: medium-light skin tone
        🤶🏽	Mrs. Claus: medium skin tone
        🤶🏾	Mrs. Claus: medium-dark skin tone
        🤶🏿	Mrs. Claus: dark skin tone
        🧑‍🎄	mx claus	christmas
        🧑🏻‍🎄	mx claus: light skin tone
        🧑🏼‍🎄	mx claus: medium-light skin tone
        🧑🏽‍🎄	mx claus: medium skin tone
        🧑🏾‍🎄	mx claus: medium-dark skin tone
        🧑🏿‍🎄	mx claus: dark skin tone
        🦸	superhero	good hero heroine superpower
        🦸🏻	superhero: light skin tone
        🦸🏼	superhero: medium-light skin tone
        🦸🏽	superhero: medium skin tone
        🦸🏾	superhero: medium-dark skin tone
        🦸🏿	superhero: dark skin tone
        🦸‍♂️	man superhero	good hero superpower
        🦸🏻‍♂️	man superhero: light skin tone
        🦸🏼‍♂️	man superhero: medium-light skin tone
        🦸🏽‍♂️	man superhero: medium skin tone
        🦸🏾‍♂️	man superhero: medium-dark skin tone
        🦸🏿‍♂️	man superhero: dark skin tone
        🦸‍♀️	woman superhero	good hero heroine superpower
        🦸🏻‍♀️	woman superhero: light skin tone
        🦸🏼‍♀️	woman superhero: medium-light skin tone
        🦸🏽‍♀️	woman superhero: medium skin tone
        🦸🏾‍♀️	woman superhero: medium-dark skin tone
        🦸🏿‍♀️	woman superhero: dark skin tone
        🦹	supervillain	criminal evil superpower villain
        🦹🏻	supervillain: light skin tone
        🦹🏼	supervillain: medium-light skin tone
        🦹🏽	supervillain: medium skin tone
        🦹🏾	supervillain: medium-dark skin tone
        🦹🏿	supervillain: dark skin tone
        🦹‍♂️	man supervillain	criminal evil superpower villain
        🦹🏻‍♂️	man supervillain: light skin tone
        🦹🏼‍♂️	man supervillain: medium-light skin tone
        🦹🏽‍♂️	man supervillain: medium skin tone
        🦹🏾‍♂️	man supervillain: medium-dark skin tone
        🦹🏿‍♂️	man supervillain: dark skin tone
        🦹‍♀️	woman supervillain	criminal evil superpower villain
        🦹🏻‍♀️	woman supervillain: light skin tone
        🦹🏼‍♀️	woman supervillain: medium-light skin tone
        🦹🏽‍♀️	woman supervillain: medium skin tone
        🦹🏾‍♀️	woman supervillain: medium-dark skin tone
        🦹🏿‍♀️	woman supervillain: dark skin tone
        🧙	mage	sorcerer sorceress witch wizard
        🧙🏻	mage: light skin tone
        🧙🏼	mage: medium-light skin tone
        🧙🏽	mage: medium skin tone
        🧙🏾	mage: medium-dark skin tone
        🧙🏿	mage: dark skin tone
        🧙‍♂️	man mage	sorcerer wizard
        🧙🏻‍♂️	man mage: light skin tone
        🧙🏼‍♂️	man mage: medium-light skin tone
        🧙🏽‍♂️	man mage: medium skin tone
        🧙🏾‍♂️	man mage: medium-dark skin tone
        🧙🏿‍♂️	man mage: dark skin tone
        🧙‍♀️	woman mage	sorceress witch
        🧙🏻‍♀️	woman mage: light skin tone
        🧙🏼‍♀️	woman mage: medium-light skin tone
        🧙🏽‍♀️	woman mage: medium skin tone
        🧙🏾‍♀️	woman mage: medium-dark skin tone
        🧙🏿‍♀️	woman mage: dark skin tone
        🧚	fairy	oberon puck titania
        🧚🏻	fairy: light skin tone
        🧚🏼	fairy: medium-light skin tone
        🧚🏽	fairy: medium skin tone
        🧚🏾	fairy: medium-dark skin tone
        🧚🏿	fairy: dark skin tone
        🧚‍♂️	man fairy	oberon puck
        🧚🏻‍♂️	man fairy: light skin tone
        🧚🏼‍♂️	man fairy: medium-light skin tone
        🧚🏽‍♂️	man fairy: medium skin tone
        🧚🏾‍♂️	man fairy: medium-dark skin tone
        🧚🏿‍♂️	man fairy: dark skin tone
        🧚‍♀️	woman fairy	titania
        🧚🏻‍♀️	woman fairy: light skin tone
        🧚🏼‍♀️	woman fairy: medium-light skin tone
        🧚🏽‍♀️	woman fairy: medium skin tone
        🧚🏾‍♀️	woman fairy: medium-dark skin tone
        🧚🏿‍♀️	woman fairy: dark skin tone
        🧛	vampire	dracula undead
        🧛🏻	vampire: light skin tone
        🧛🏼	vampire: medium-light skin tone
        🧛🏽	vampire: medium skin tone
        🧛🏾	vampire: medium-dark skin tone
        🧛🏿	vampire: dark skin tone
        🧛‍♂️	man vampire	dracula undead
        🧛🏻‍♂️	man vampire: light skin tone
        🧛🏼‍♂️	man vampire: medium-light skin tone
        🧛🏽‍♂️	man vampire: medium skin tone
        🧛🏾‍♂️	man vampire: medium-dark skin tone
        🧛🏿‍♂️	man vampire: dark skin tone
        🧛‍♀️	woman vampire	undead
        🧛🏻‍♀️	woman vampire: light skin tone
        🧛🏼‍♀️	woman vampire: medium-light skin tone
        🧛🏽‍♀️	woman vampire: medium skin tone
        🧛🏾‍♀️	woman vampire: medium-dark skin tone
        🧛🏿‍♀️	woman vampire: dark skin tone
        🧜	merperson	mermaid merman merwoman
        🧜🏻	merperson: light skin tone
        🧜🏼	merperson: medium-light skin tone
        🧜🏽	merperson: medium skin tone
        🧜🏾	merperson: medium-dark skin tone
        🧜🏿	merperson: dark skin tone
        🧜‍♂️	merman	triton
        🧜🏻‍♂️	merman: light skin tone
        🧜🏼‍♂️	merman: medium-light skin tone
        🧜🏽‍♂️	merman: medium skin tone
        🧜🏾‍♂️	merman: medium-dark skin tone
        🧜🏿‍♂️	merman: dark skin tone
        🧜‍♀️	mermaid	merwoman
        🧜🏻‍♀️	mermaid: light skin tone
        🧜🏼‍♀️	mermaid: medium-light skin tone
        🧜🏽‍♀️	mermaid: medium skin tone
        🧜🏾‍♀️	mermaid: medium-dark skin tone
        🧜🏿‍♀️	mermaid: dark skin tone
        🧝	elf	magical
        🧝🏻	elf: light skin tone
        🧝🏼	elf: medium-light skin tone
        🧝🏽	elf: medium skin tone
        🧝🏾	elf: medium-dark skin tone
        🧝🏿	elf: dark skin tone
        🧝‍♂️	man elf	magical
        🧝🏻‍♂️	man elf: light skin tone
        🧝🏼‍♂️	man elf: medium-light skin tone
        🧝🏽‍♂️	man elf: medium skin tone
        🧝🏾‍♂️	man elf: medium-dark skin tone
        🧝🏿‍♂️	man elf: dark skin tone
        🧝‍♀️	woman elf	magical
        🧝🏻‍♀️	woman elf: light skin tone
        🧝🏼‍♀️	woman elf: medium-light skin tone
        🧝🏽‍♀️	woman elf: medium skin tone
        🧝🏾‍♀️	woman elf: medium-dark skin tone
        🧝🏿‍♀️	woman elf: dark skin tone
        🧞	genie	djinn
        🧞‍♂️	man genie	djinn
        🧞‍♀️	woman genie	djinn
        🧟	zombie	undead walking dead
        🧟‍♂️	man zombie	undead walking dead
        🧟‍♀️	woman zombie	undead walking dead
        🧌	troll	fairy tale fantasy monster
        💆	person getting massage	face salon
        💆🏻	person getting massage: light skin tone
        💆🏼	person getting massage: medium-light skin tone
        💆🏽	person getting massage: medium skin tone
        💆🏾	person getting massage: medium-dark skin tone
        💆🏿	person getting massage: dark skin tone
        💆‍♂️	man getting massage	face
        💆🏻‍♂️	man getting massage: light skin tone
        💆🏼‍♂️	man getting massage: medium-light skin tone
        💆🏽‍♂️	man getting massage: medium skin tone
        💆🏾‍♂️	man getting massage: medium-dark skin tone
        💆🏿‍♂️	man getting massage: dark skin tone
        💆‍♀️	woman getting massage	face
        💆🏻‍♀️	woman getting massage: light skin tone
        💆🏼‍♀️	woman getting massage: medium-light skin tone
        💆🏽‍♀️	woman getting massage: medium skin tone
        💆🏾‍♀️	woman getting massage: medium-dark skin tone
        💆🏿‍♀️	woman getting massage: dark skin tone
        💇	person getting haircut	barber beauty parlor
        💇🏻	person getting haircut: light skin tone
        💇🏼	person getting haircut: medium-light skin tone
        💇🏽	person getting haircut: medium skin tone
        💇🏾	person getting haircut: medium-dark skin tone
        💇🏿	person getting haircut: dark skin tone
        💇‍♂️	man getting haircut
        💇🏻‍♂️	man getting haircut: light skin tone
        💇🏼‍♂️	man getting haircut: medium-light skin tone
        💇🏽‍♂️	man getting haircut: medium skin tone
        💇🏾‍♂️	man getting haircut: medium-dark skin tone
        💇🏿‍♂️	man getting haircut: dark skin tone
        💇‍♀️	woman getting haircut
        💇🏻‍♀️	woman getting haircut: light skin tone
        💇🏼‍♀️	woman getting haircut: medium-light skin tone
        💇🏽‍♀️	woman getting haircut: medium skin tone
        💇🏾‍♀️	woman getting haircut: medium-dark skin tone
        💇🏿‍♀️	woman getting haircut: dark skin tone
        🚶	person walking	hike walk
        🚶🏻	person walking: light skin tone
        🚶🏼	person walking: medium-light skin tone
        🚶🏽	person walking: medium skin tone
        🚶🏾	person walking: medium-dark skin tone
        🚶🏿	person walking: dark skin tone
        🚶‍♂️	man walking	hike walk
        🚶🏻‍♂️	man walking: light skin tone
        🚶🏼‍♂️	man walking: medium-light skin tone
        🚶🏽‍♂️	man walking: medium skin tone
        🚶🏾‍♂️	man walking: medium-dark skin tone
        🚶🏿‍♂️	man walking: dark skin tone
        🚶‍♀️	woman walking	hike walk
        🚶🏻‍♀️	woman walking: light skin tone
        🚶🏼‍♀️	woman walking: medium-light skin tone
        🚶🏽‍♀️	woman walking: medium skin tone
        🚶🏾‍♀️	woman walking: medium-dark skin tone
        🚶🏿‍♀️	woman walking: dark skin tone
        🧍	person standing	stand
        🧍🏻	person standing: light skin tone
        🧍🏼	person standing: medium-light skin tone
        🧍🏽	person standing: medium skin tone
        🧍🏾	person standing: medium-dark skin tone
        🧍🏿	person standing: dark skin tone
        🧍‍♂️	man standing
        🧍🏻‍♂️	man standing: light skin tone
        🧍🏼‍♂️	man standing: medium-light skin tone
        🧍🏽‍♂️	man standing: medium skin tone
        🧍🏾‍♂️	man standing: medium-dark skin tone
        🧍🏿‍♂️	man standing: dark skin tone
        🧍‍♀️	woman standing
        🧍🏻‍♀️	woman standing: light skin tone
        🧍🏼‍♀️	woman standing: medium-light skin tone
        🧍🏽‍♀️	woman standing: medium skin tone
        🧍🏾‍♀️	woman standing: medium-dark skin tone
        🧍🏿‍♀️	woman standing: dark skin tone
        🧎	person kneeling	kneel
        🧎🏻	person kneeling: light skin tone
        🧎🏼	person kneeling: medium-light skin tone
        🧎🏽	person kneeling: medium skin tone
        🧎🏾	person kneeling: medium-dark skin tone
        🧎🏿	person kneeling: dark skin tone
        🧎‍♂️	man kneeling
        🧎🏻‍♂️	man kneeling: light skin tone
        🧎🏼‍♂️	man kneeling: medium-light skin tone
        🧎🏽‍♂️	man kneeling: medium skin tone
        🧎🏾‍♂️	man kneeling: medium-dark skin tone
        🧎🏿‍♂️	man kneeling: dark skin tone
        🧎‍♀️	woman kneeling
        🧎🏻‍♀️	woman kneeling: light skin tone
        🧎🏼‍♀️	woman kneeling: medium-light skin tone
        🧎🏽‍♀️	woman kneeling: medium skin tone
        🧎🏾‍♀️	woman kneeling: medium-dark skin tone
        🧎🏿‍♀️	woman kneeling: dark skin tone
        🧑‍🦯	person with white cane	accessibility blind
        🧑🏻‍🦯	person with white cane: light skin tone
        🧑🏼‍🦯	person with white cane: medium-light skin tone
        🧑🏽‍🦯	person with white cane: medium skin tone
        🧑🏾‍🦯	person with white cane: medium-dark skin tone
        🧑🏿‍🦯	person with white cane: dark skin tone
        👨‍🦯	man with white cane	accessibility blind
        👨🏻‍🦯	man with white cane: light skin tone
        👨🏼‍🦯	man with white cane: medium-light skin tone
        👨🏽‍🦯	man with white cane: medium skin tone
        👨🏾‍🦯	man with white cane: medium-dark skin tone
        👨🏿‍🦯	man with white cane: dark skin tone
        👩‍🦯	woman with white cane	accessibility blind
        👩🏻‍🦯	woman with white cane: light skin tone
        👩🏼‍🦯	woman with white cane: medium-light skin tone
        👩🏽‍🦯	woman with white cane: medium skin tone
        👩🏾‍🦯	woman with white cane: medium-dark skin tone
        👩🏿‍🦯	woman with white cane: dark skin tone
        🧑‍🦼	person in motorized wheelchair	accessibility
        🧑🏻‍🦼	person in motorized wheelchair: light skin tone
        🧑🏼‍🦼	person in motorized wheelchair: medium-light skin tone
        🧑🏽‍🦼	person in motorized wheelchair: medium skin tone
        🧑🏾‍🦼	person in motorized wheelchair: medium-dark skin tone
        🧑🏿‍🦼	person in motorized wheelchair: dark skin tone
        👨‍🦼	man in motorized wheelchair	accessibility
        👨🏻‍🦼	man in motorized wheelchair: light skin tone
        👨🏼‍🦼	man in motorized wheelchair: medium-light skin tone
        👨🏽‍🦼	man in motorized wheelchair: medium skin tone
        👨🏾‍🦼	man in motorized wheelchair: medium-dark skin tone
        👨🏿‍🦼	man in motorized wheelchair: dark skin tone
        👩‍🦼	woman in motorized wheelchair	accessibility
        👩🏻‍🦼	woman in motorized wheelchair: light skin tone
        👩🏼‍🦼	woman in motorized wheelchair: medium-light skin tone
        👩🏽‍🦼	woman in motorized wheelchair: medium skin tone
        👩🏾‍🦼	woman in motorized wheelchair: medium-dark skin tone
        👩🏿‍🦼	woman in motorized wheelchair: dark skin tone
        🧑‍🦽	person in manual wheelchair	accessibility
        🧑🏻‍🦽	person in manual wheelchair: light skin tone
        🧑🏼‍🦽	person in manual wheelchair: medium-light skin tone
        🧑🏽‍🦽	person in manual wheelchair: medium skin tone
        🧑🏾‍🦽	person in manual wheelchair: medium-dark skin tone
        🧑🏿‍🦽	person in manual wheelchair: dark skin tone
        👨‍🦽	man in manual wheelchair	accessibility
        👨🏻‍🦽	man in manual wheelchair: light skin tone
        👨🏼‍🦽	man in manual wheelchair: medium-light skin tone
        👨🏽‍🦽	man in manual wheelchair: medium skin tone
        👨🏾‍🦽	man in manual wheelchair: medium-dark skin tone
        👨🏿‍🦽	man in manual wheelchair: dark skin tone
        👩‍🦽	woman in manual wheelchair	accessibility
        👩🏻‍🦽	woman in manual wheelchair: light skin tone
        👩🏼‍🦽	woman in manual wheelchair: medium-light skin tone
        👩🏽‍🦽	woman in manual wheelchair: medium skin tone
        👩🏾‍🦽	woman in manual wheelchair: medium-dark skin tone
        👩🏿‍🦽	woman in manual wheelchair: dark skin tone
        🏃	person running	marathon
        🏃🏻	person running: light skin tone
        🏃🏼	person running: medium-light skin tone
        🏃🏽	person running: medium skin tone
        🏃🏾	person running: medium-dark skin tone
        🏃🏿	person running: dark skin tone
        🏃‍♂️	man running	marathon racing
        🏃🏻‍♂️	man running: light skin tone
        🏃🏼‍♂️	man running: medium-light skin tone
        🏃🏽‍♂️	man running: medium skin tone
        🏃🏾‍♂️	man running: medium-dark skin tone
        🏃🏿‍♂️	man running: dark skin tone
        🏃‍♀️	woman running	marathon racing
        🏃🏻‍♀️	woman running: light skin tone
        🏃🏼‍♀️	woman running: medium-light skin tone
        🏃🏽‍♀️	woman running: medium skin tone
        🏃🏾‍♀️	woman running: medium-dark skin tone
        🏃🏿‍♀️	woman running: dark skin tone
        💃	woman dancing	dance
        💃🏻	woman dancing: light skin tone
        💃🏼	woman dancing: medium-light skin tone
        💃🏽	woman dancing: medium skin tone
        💃🏾	woman dancing: medium-dark skin tone
        💃🏿	woman dancing: dark skin tone
        🕺	man dancing	dance
        🕺🏻	man dancing: light skin tone
        🕺🏼	man dancing: medium-light skin tone
        🕺🏽	man dancing: medium skin tone
        🕺🏾	man dancing: medium-dark skin tone
        🕺🏿	man dancing: dark skin tone
        🕴️	person in suit levitating	business
        🕴🏻	person in suit levitating: light skin tone
        🕴🏼	person in suit levitating: medium-light skin tone
        🕴🏽	person in suit levitating: medium skin tone
        🕴🏾	person in suit levitating: medium-dark skin tone
        🕴🏿	person in suit levitating: dark skin tone
        👯	people with bunny ears	ear dancer partying
        👯‍♂️	men with bunny ears	ear dancer partying
        👯‍♀️	women with bunny ears	ear dancer partying
        🧖	person in steamy room	sauna steam
        🧖🏻	person in steamy room: light skin tone
        🧖🏼	person in steamy room: medium-light skin tone
        🧖🏽	person in steamy room: medium skin tone
        🧖🏾	person in steamy room: medium-dark skin tone
        🧖🏿	person in steamy room: dark skin tone
        🧖‍♂️	man in steamy room	sauna steam
        🧖🏻‍♂️	man in steamy room: light skin tone
        🧖🏼‍♂️	man in steamy room: medium-light skin tone
        🧖🏽‍♂️	man in steamy room: medium skin tone
        🧖🏾‍♂️	man in steamy room: medium-dark skin tone
        🧖🏿‍♂️	man in steamy room: dark skin tone
        🧖‍♀️	woman in steamy room	sauna steam
        🧖🏻‍♀️	woman in steamy room: light skin tone
        🧖🏼‍♀️	woman in steamy room: medium-light skin tone
        🧖🏽‍♀️	woman in steamy room: medium skin tone
        🧖🏾‍♀️	woman in steamy room: medium-dark skin tone
        🧖🏿‍♀️	woman in steamy room: dark skin tone
        🧗	person climbing	climber
        🧗🏻	person climbing: light skin tone
        🧗🏼	person climbing: medium-light skin tone
        🧗🏽	person climbing: medium skin tone
        🧗🏾	person climbing: medium-dark skin tone
        🧗🏿	person climbing: dark skin tone
        🧗‍♂️	man climbing	climber
        🧗🏻‍♂️	man climbing: light skin tone
        🧗🏼‍♂️	man climbing: medium-light skin tone
        🧗🏽‍♂️	man climbing: medium skin tone
        🧗🏾‍♂️	man climbing: medium-dark skin tone
        🧗🏿‍♂️	man climbing: dark skin tone
        🧗‍♀️	woman climbing	climber
        🧗🏻‍♀️	woman climbing: light skin tone
        🧗🏼‍♀️	woman climbing: medium-light skin tone
        🧗🏽‍♀️	woman climbing: medium skin tone
        🧗🏾‍♀️	woman climbing: medium-dark skin tone
        🧗🏿‍♀️	woman climbing: dark skin tone
        🤺	person fencing	fencer sword
        🏇	horse racing	jockey racehorse
        🏇🏻	horse racing: light skin tone
        🏇🏼	horse racing: medium-light skin tone
        🏇🏽	horse racing: medium skin tone
        🏇🏾	horse racing: medium-dark skin tone
        🏇🏿	horse racing: dark skin tone
        ⛷️	skier	ski snow
        🏂	snowboarder	ski snow snowboard
        🏂🏻	snowboarder: light skin tone
        🏂🏼	snowboarder: medium-light skin tone
        🏂🏽	snowboarder: medium skin tone
        🏂🏾	snowboarder: medium-dark skin tone
        🏂🏿	snowboarder: dark skin tone
        🏌️	person golfing	ball golf
        🏌🏻	person golfing: light skin tone
        🏌🏼	person golfing: medium-light skin tone
        🏌🏽	person golfing: medium skin tone
        🏌🏾	person golfing: medium-dark skin tone
        🏌🏿	person golfing: dark skin tone
        🏌️‍♂️	man golfing	golf
        🏌🏻‍♂️	man golfing: light skin tone
        🏌🏼‍♂️	man golfing: medium-light skin tone
        🏌🏽‍♂️	man golfing: medium skin tone
        🏌🏾‍♂️	man golfing: medium-dark skin tone
        🏌🏿‍♂️	man golfing: dark skin tone
        🏌️‍♀️	woman golfing	golf
        🏌🏻‍♀️	woman golfing: light skin tone
        🏌🏼‍♀️	woman golfing: medium-light skin tone
        🏌🏽‍♀️	woman golfing: medium skin tone
        🏌🏾‍♀️	woman golfing: medium-dark skin tone
        🏌🏿‍♀️	woman golfing: dark skin tone
        🏄	person surfing
        🏄🏻	person surfing: light skin tone
        🏄🏼	person surfing: medium-light skin tone
        🏄🏽	person surfing: medium skin tone
        🏄🏾	person surfing: medium-dark skin tone
        🏄🏿	person surfing: dark skin tone
        🏄‍♂️	man surfing
        🏄🏻‍♂️	man surfing: light skin tone
        🏄🏼‍♂️	man surfing: medium-light skin tone
        🏄🏽‍♂️	man surfing: medium skin tone
        🏄🏾‍♂️	man surfing: medium-dark skin tone
        🏄🏿‍♂️	man surfing: dark skin tone
        🏄‍♀️	woman surfing
        🏄🏻‍♀️	woman surfing: light skin tone
        🏄🏼‍♀️	woman surfing: medium-light skin tone
        🏄🏽‍♀️	woman surfing: medium skin tone
        🏄🏾‍♀️	woman surfing: medium-dark skin tone
        🏄🏿‍♀️	woman surfing: dark skin tone
        🚣	person rowing boat	rowboat
        🚣🏻	person rowing boat: light skin tone
        🚣🏼	person rowing boat: medium-light skin tone
        🚣🏽	person rowing boat: medium skin tone
        🚣🏾	person rowing boat: medium-dark skin tone
        🚣🏿	person rowing boat: dark skin tone
        🚣‍♂️	man rowing boat	rowboat
        🚣🏻‍♂️	man rowing boat: light skin tone
        🚣🏼‍♂️	man rowing boat: medium-light skin tone
        🚣🏽‍♂️	man rowing boat: medium skin tone
        🚣🏾‍♂️	man rowing boat: medium-dark skin tone
        🚣🏿‍♂️	man rowing boat: dark skin tone
        🚣‍♀️	woman rowing boat	rowboat
        🚣🏻‍♀️	woman rowing boat: light skin tone
        🚣🏼‍♀️	woman rowing boat: medium-light skin tone
        🚣🏽‍♀️	woman rowing boat: medium skin tone
        🚣🏾‍♀️	woman rowing boat: medium-dark skin tone
        🚣🏿‍♀️	woman rowing boat: dark skin tone
        🏊	person swimming	swim
        🏊🏻	person swimming: light skin tone
        🏊🏼	person swimming: medium-light skin tone
        🏊🏽	person swimming: medium skin tone
        🏊🏾	person swimming: medium-dark skin tone
        🏊🏿	person swimming: dark skin tone
        🏊‍♂️	man swimming	swim
        🏊🏻‍♂️	man swimming: light skin tone
        🏊🏼‍♂️	man swimming: medium-light skin tone
        🏊🏽‍♂️	man swimming: medium skin tone
        🏊🏾‍♂️	man swimming: medium-dark skin tone
        🏊🏿‍♂️	man swimming: dark skin tone
        🏊‍♀️	woman swimming	swim
        🏊🏻‍♀️	woman swimming: light skin tone
        🏊🏼‍♀️	woman swimming: medium-light skin tone
        🏊🏽‍♀️	woman swimming: medium skin tone
        🏊🏾‍♀️	woman swimming: medium-dark skin tone
        🏊🏿‍♀️	woman swimming: dark skin tone
        ⛹️	person bouncing ball
        ⛹🏻	person bouncing ball: light skin tone
        ⛹🏼	person bouncing ball: medium-light skin tone
        ⛹🏽	person bouncing ball: medium skin tone
        ⛹🏾	person bouncing ball: medium-dark skin tone
        ⛹🏿	person bouncing ball: dark skin tone
        ⛹️‍♂️	man bouncing ball
        ⛹🏻‍♂️	man bouncing ball: light skin tone
        ⛹🏼‍♂️	man bouncing ball: medium-light skin tone
        ⛹🏽‍♂️	man bouncing ball: medium skin tone
        ⛹🏾‍♂️	man bouncing ball: medium-dark skin tone
        ⛹🏿‍♂️	man bouncing ball: dark skin tone
        ⛹️‍♀️	woman bouncing ball
        ⛹🏻‍♀️	woman bouncing ball: light skin tone
        ⛹🏼‍♀️	woman bouncing ball: medium-light skin tone
        ⛹🏽‍♀️	woman bouncing ball: medium skin tone
        ⛹🏾‍♀️	woman bouncing ball: medium-dark skin tone
        ⛹🏿‍♀️	woman bouncing ball: dark skin tone
        🏋️	person lifting weights	lifter weight
        🏋🏻	person lifting weights: light skin tone
        🏋🏼	person lifting weights: medium-light skin tone
        🏋🏽	person lifting weights: medium skin tone
        🏋🏾	person lifting weights: medium-dark skin tone
        🏋🏿	person lifting weights: dark skin tone
        🏋️‍♂️	man lifting weights	weight lifter
        🏋🏻‍♂️	man lifting weights: light skin tone
        🏋🏼‍♂️	man lifting weights: medium-light skin tone
        🏋🏽‍♂️	man lifting weights: medium skin tone
        🏋🏾‍♂️	man lifting weights: medium-dark skin tone
        🏋🏿‍♂️	man lifting weights: dark skin tone
        🏋️‍♀️	woman lifting weights	weight lifter
        🏋🏻‍♀️	woman lifting weights: light skin tone
        🏋🏼‍♀️	woman lifting weights: medium-light skin tone
        🏋🏽‍♀️	woman lifting weights: medium skin tone
        🏋🏾‍♀️	woman lifting weights: medium-dark skin tone
        🏋🏿‍♀️	woman lifting weights: dark skin tone
        🚴	person biking	bicycle cyclist
        🚴🏻	person biking: light skin tone
        🚴🏼	person biking: medium-light skin tone
        🚴🏽	person biking: medium skin tone
        🚴🏾	person biking: medium-dark skin tone
        🚴🏿	person biking: dark skin tone
        🚴‍♂️	man biking	bicycle cyclist
        🚴🏻‍♂️	man biking: light skin tone
        🚴🏼‍♂️	man biking: medium-light skin tone
        🚴🏽‍♂️	man biking: medium skin tone
        🚴🏾‍♂️	man biking: medium-dark skin tone
        🚴🏿‍♂️	man biking: dark skin tone
        🚴‍♀️	woman biking	bicycle cyclist
        🚴🏻‍♀️	woman biking: light skin tone
        🚴🏼‍♀️	woman biking: medium-light skin tone
        🚴🏽‍♀️	woman biking: medium skin tone
        🚴🏾‍♀️	woman biking: medium-dark skin tone
        🚴🏿‍♀️	woman biking: dark skin tone
        🚵	person mountain biking	bicycle bicyclist bike cyclist
        🚵🏻	person mountain biking: light skin tone
        🚵🏼	person mountain biking: medium-light skin tone
        🚵🏽	person mountain biking: medium skin tone
        🚵🏾	person mountain biking: medium-dark skin tone
        🚵🏿	person mountain biking: dark skin tone
        🚵‍♂️	man mountain biking	bicycle bike cyclist
        🚵🏻‍♂️	man mountain biking: light skin tone
        🚵🏼‍♂️	man mountain biking: medium-light skin tone
        🚵🏽‍♂️	man mountain biking: medium skin tone
        🚵🏾‍♂️	man mountain biking: medium-dark skin tone
        🚵🏿‍♂️	man mountain biking: dark skin tone
        🚵‍♀️	woman mountain biking	bicycle bike cyclist
        🚵🏻‍♀️	woman mountain biking: light skin tone
        🚵🏼‍♀️	woman mountain biking: medium-light skin tone
        🚵🏽‍♀️	woman mountain biking: medium skin tone
        🚵🏾‍♀️	woman mountain biking: medium-dark skin tone
        🚵🏿‍♀️	woman mountain biking: dark skin tone
        🤸	person cartwheeling	cartwheel gymnastics
        🤸🏻	person cartwheeling: light skin tone
        🤸🏼	person cartwheeling: medium-light skin tone
        🤸🏽	person cartwheeling: medium skin tone
        🤸🏾	person cartwheeling: medium-dark skin tone
        🤸🏿	person cartwheeling: dark skin tone
        🤸‍♂️	man cartwheeling	cartwheel gymnastics
        🤸🏻‍♂️	man cartwheeling: light skin tone
        🤸🏼‍♂️	man cartwheeling: medium-light skin tone
        🤸🏽‍♂️	man cartwheeling: medium skin tone
        🤸🏾‍♂️	man cartwheeling: medium-dark skin tone
        🤸🏿‍♂️	man cartwheeling: dark skin tone
        🤸‍♀️	woman cartwheeling	cartwheel gymnastics
        🤸🏻‍♀️	woman cartwheeling: light skin tone
        🤸🏼‍♀️	woman cartwheeling: medium-light skin tone
        🤸🏽‍♀️	woman cartwheeling: medium skin tone
        🤸🏾‍♀️	woman cartwheeling: medium-dark skin tone
        🤸🏿‍♀️	woman cartwheeling: dark skin tone
        🤼	people wrestling	wrestle wrestler
        🤼‍♂️	men wrestling	wrestle
        🤼‍♀️	women wrestling	wrestle
        🤽	person playing water polo
        🤽🏻	person playing water polo: light skin tone
        🤽🏼	person playing water polo: medium-light skin tone
        🤽🏽	person playing water polo: medium skin tone
        🤽🏾	person playing water polo: medium-dark skin tone
        🤽🏿	person playing water polo: dark skin tone
        🤽‍♂️	man playing water polo
        🤽🏻‍♂️	man playing water polo: light skin tone
        🤽🏼‍♂️	man playing water polo: medium-light skin tone
        🤽🏽‍♂️	man playing water polo: medium skin tone
        🤽🏾‍♂️	man playing water polo: medium-dark skin tone
        🤽🏿‍♂️	man playing water polo: dark skin tone
        🤽‍♀️	woman playing water polo
        🤽🏻‍♀️	woman playing water polo: light skin tone
        🤽🏼‍♀️	woman playing water polo: medium-light skin tone
        🤽🏽‍♀️	woman playing water polo: medium skin tone
        🤽🏾‍♀️	woman playing water polo: medium-dark skin tone
        🤽🏿‍♀️	woman playing water polo: dark skin tone
        🤾	person playing handball	ball
        🤾🏻	person playing handball: light skin tone
        🤾🏼	person playing handball: medium-light skin tone
        🤾🏽	person playing handball: medium skin tone
        🤾🏾	person playing handball: medium-dark skin tone
        🤾🏿	person playing handball: dark skin tone
        🤾‍♂️	man playing handball
        🤾🏻‍♂️	man playing handball: light skin tone
        🤾🏼‍♂️	man playing handball: medium-light skin tone
        🤾🏽‍♂️	man playing handball: medium skin tone
        🤾🏾‍♂️	man playing handball: medium-dark skin tone
        🤾🏿‍♂️	man playing handball: dark skin tone
        🤾‍♀️	woman playing handball
        🤾🏻‍♀️	woman playing handball: light skin tone
        🤾🏼‍♀️	woman playing handball: medium-light skin tone
        🤾🏽‍♀️	woman playing handball: medium skin tone
        🤾🏾‍♀️	woman playing handball: medium-dark skin tone
        🤾🏿‍♀️	woman playing handball: dark skin tone
        🤹	person juggling	balance juggle multitask skill
        🤹🏻	person juggling: light skin tone
        🤹🏼	person juggling: medium-light skin tone
        🤹🏽	person juggling: medium skin tone
        🤹🏾	person juggling: medium-dark skin tone
        🤹🏿	person juggling: dark skin tone
        🤹‍♂️	man juggling	multitask
        🤹🏻‍♂️	man juggling: light skin tone
        🤹🏼‍♂️	man juggling: medium-light skin tone
        🤹🏽‍♂️	man juggling: medium skin tone
        🤹🏾‍♂️	man juggling: medium-dark skin tone
        🤹🏿‍♂️	man juggling: dark skin tone
        🤹‍♀️	woman juggling	multitask
        🤹🏻‍♀️	woman juggling: light skin tone
        🤹🏼‍♀️	woman juggling: medium-light skin tone
        🤹🏽‍♀️	woman juggling: medium skin tone
        🤹🏾‍♀️	woman juggling: medium-dark skin tone
        🤹🏿‍♀️	woman juggling: dark skin tone
        🧘	person in lotus position	meditation yoga
        🧘🏻	person in lotus position: light skin tone
        🧘🏼	person in lotus position: medium-light skin tone
        🧘🏽	person in lotus position: medium skin tone
        🧘🏾	person in lotus position: medium-dark skin tone
        🧘🏿	person in lotus position: dark skin tone
        🧘‍♂️	man in lotus position	meditation yoga
        🧘🏻‍♂️	man in lotus position: light skin tone
        🧘🏼‍♂️	man in lotus position: medium-light skin tone
        🧘🏽‍♂️	man in lotus position: medium skin tone
        🧘🏾‍♂️	man in lotus position: medium-dark skin tone
        🧘🏿‍♂️	man in lotus position: dark skin tone
        🧘‍♀️	woman in lotus position	meditation yoga
        🧘🏻‍♀️	woman in lotus position: light skin tone
        🧘🏼‍♀️	woman in lotus position: medium-light skin tone
        🧘🏽‍♀️	woman in lotus position: medium skin tone
        🧘🏾‍♀️	woman in lotus position: medium-dark skin tone
        🧘🏿‍♀️	woman in lotus position: dark skin tone
        🛀	person taking bath	bathtub
        🛀🏻	person taking bath: light skin tone
        🛀🏼	person taking bath: medium-light skin tone
        🛀🏽	person taking bath: medium skin tone
        🛀🏾	person taking bath: medium-dark skin tone
        🛀🏿	person taking bath: dark skin tone
        🛌	person in bed	good night hotel sleep
        🛌🏻	person in bed: light skin tone
        🛌🏼	person in bed: medium-light skin tone
        🛌🏽	person in bed: medium skin tone
        🛌🏾	person in bed: medium-dark skin tone
        🛌🏿	person in bed: dark skin tone
        🧑‍🤝‍🧑	people holding hands	couple hand hold person
        🧑🏻‍🤝‍🧑🏻	people holding hands: light skin tone
        🧑🏻‍🤝‍🧑🏼	people holding hands: light skin tone, medium-light skin tone
        🧑🏻‍🤝‍🧑🏽	people holding hands: light skin tone, medium skin tone
        🧑🏻‍🤝‍🧑🏾	people holding hands: light skin tone, medium-dark skin tone
        🧑🏻‍🤝‍🧑🏿	people holding hands: light skin tone, dark skin tone
        🧑🏼‍🤝‍🧑🏻	people holding hands: medium-light skin tone, light skin tone
        🧑🏼‍🤝‍🧑🏼	people holding hands: medium-light skin tone
        🧑🏼‍🤝‍🧑🏽	people holding hands: medium-light skin tone, medium skin tone
        🧑🏼‍🤝‍🧑🏾	people holding hands: medium-light skin tone, medium-dark skin tone
        🧑🏼‍🤝‍🧑🏿	people holding hands: medium-light skin tone, dark skin tone
        🧑🏽‍🤝‍🧑🏻	people holding hands: medium skin tone, light skin tone
        🧑🏽‍🤝‍🧑🏼	people holding hands: medium skin tone, medium-light skin tone
        🧑🏽‍🤝‍🧑🏽	people holding hands: medium skin tone
        🧑🏽‍🤝‍🧑🏾	people holding hands: medium skin tone, medium-dark skin tone
        🧑🏽‍🤝‍🧑🏿	people holding hands: medium skin tone, dark skin tone
        🧑🏾‍🤝‍🧑🏻	people holding hands: medium-dark skin tone, light skin tone
        🧑🏾‍🤝‍🧑🏼	people holding hands: medium-dark skin tone, medium-light skin tone
        🧑🏾‍🤝‍🧑🏽	people holding hands: medium-dark skin tone, medium skin tone
        🧑🏾‍🤝‍🧑🏾	people holding hands: medium-dark skin tone
        🧑🏾‍🤝‍🧑🏿	people holding hands: medium-dark skin tone, dark skin tone
        🧑🏿‍🤝‍🧑🏻	people holding hands: dark skin tone, light skin tone
        🧑🏿‍🤝‍🧑🏼	people holding hands: dark skin tone, medium-light skin tone
        🧑🏿‍🤝‍🧑🏽	people holding hands: dark skin tone, medium skin tone
        🧑🏿‍🤝‍🧑🏾	people holding hands: dark skin tone, medium-dark skin tone
        🧑🏿‍🤝‍🧑🏿	people holding hands: dark skin tone
        👭	women holding hands	couple hand
        👭🏻	women holding hands: light skin tone
        👩🏻‍🤝‍👩🏼	women holding hands: light skin tone, medium-light skin tone	couple hand
        👩🏻‍🤝‍👩🏽	women holding hands: light skin tone, medium skin tone	couple hand
        👩🏻‍🤝‍👩🏾	women holding hands: light skin tone, medium-dark skin tone	couple hand
        👩🏻‍🤝‍👩🏿	women holding hands: light skin tone, dark skin tone	couple hand
        👩🏼‍🤝‍👩🏻	women holding hands: medium-light skin tone, light skin tone	couple hand
        👭🏼	women holding hands: medium-light skin tone
        👩🏼‍🤝‍👩🏽	women holding hands: medium-light skin tone, medium skin tone	couple hand
        👩🏼‍🤝‍👩🏾	women holding hands: medium-light skin tone, medium-dark skin tone	couple hand
        👩🏼‍🤝‍👩🏿	women holding hands: medium-light skin tone, dark skin tone	couple hand
        👩🏽‍🤝‍👩🏻	women holding hands: medium skin tone, light skin tone	couple hand
        👩🏽‍🤝‍👩🏼	women holding hands: medium skin tone, medium-light skin tone	couple hand
        👭🏽	women holding hands: medium skin tone
        👩🏽‍🤝‍👩🏾	women holding hands: medium skin tone, medium-dark skin tone	couple hand
        👩🏽‍🤝‍👩🏿	women holding hands: medium skin tone, dark skin tone	couple hand
        👩🏾‍🤝‍👩🏻	women holding hands: medium-dark skin tone, light skin tone	couple hand
        👩🏾‍🤝‍👩🏼	women holding hands: medium-dark skin tone, medium-light skin tone	couple hand
        👩🏾‍🤝‍👩🏽	women holding hands: medium-dark skin tone, medium skin tone	couple hand
        👭🏾	women holding hands: medium-dark skin tone
        👩🏾‍🤝‍👩🏿	women holding hands: medium-dark skin tone, dark skin tone	couple hand
        👩🏿‍🤝‍👩🏻	women holding hands: dark skin tone, light skin tone	couple hand
        👩🏿‍🤝‍👩🏼	women holding hands: dark skin tone, medium-light skin tone	couple hand
        👩🏿‍🤝‍👩🏽	women holding hands: dark skin tone, medium skin tone	couple hand
        👩🏿‍🤝‍👩🏾	women holding hands: dark skin tone, medium-dark skin tone	couple hand
        👭🏿	women holding hands: dark skin tone
        👫	woman and man holding hands	couple hand hold
        👫🏻	woman and man holding hands: light skin tone
        👩🏻‍🤝‍👨🏼	woman and man holding hands: light skin tone, medium-light skin tone	couple hand hold
        👩🏻‍🤝‍👨🏽	woman and man holding hands: light skin tone, medium skin tone	couple hand hold
        👩🏻‍🤝‍👨🏾	woman and man holding hands: light skin tone, medium-dark skin tone	couple hand hold
        👩🏻‍🤝‍👨🏿	woman and man holding hands: light skin tone, dark skin tone	couple hand hold
        👩🏼‍🤝‍👨🏻	woman and man holding hands: medium-light skin tone, light skin tone	couple hand hold
        👫🏼	woman and man holding hands: medium-light skin tone
        👩🏼‍🤝‍👨🏽	woman and man holding hands: medium-light skin tone, medium skin tone	couple hand hold
        👩🏼‍🤝‍👨🏾	woman and man holding hands: medium-light skin tone, medium-dark skin tone	couple hand hold
        👩🏼‍🤝‍👨🏿	woman and man holding hands: medium-light skin tone, dark skin tone	couple hand hold
        👩🏽‍🤝‍👨🏻	woman and man holding hands: medium skin tone, light skin tone	couple hand hold
        👩🏽‍🤝‍👨🏼	woman and man holding hands: medium skin tone, medium-light skin tone	couple hand hold
        👫🏽	woman and man holding hands: medium skin tone
        👩🏽‍🤝‍👨🏾	woman and man holding hands: medium skin tone, medium-dark skin tone	couple hand hold
        👩🏽‍🤝‍👨🏿	woman and man holding hands: medium skin tone, dark skin tone	couple hand hold
        👩🏾‍🤝‍👨🏻	woman and man holding hands: medium-dark skin tone, light skin tone	couple hand hold
        👩🏾‍🤝‍👨🏼	woman and man holding hands: medium-dark skin tone, medium-light skin tone	couple hand hold
        👩🏾‍🤝‍👨🏽	woman and man holding hands: medium-dark skin tone, medium skin tone	couple hand hold
        👫🏾	woman and man holding hands: medium-dark skin tone
        👩🏾‍🤝‍👨🏿	woman and man holding hands: medium-dark skin tone, dark skin tone	couple hand hold
        👩🏿‍🤝‍👨🏻	woman and man holding hands: dark skin tone, light skin tone	couple hand hold
        👩🏿‍🤝‍👨🏼	woman and man holding hands: dark skin tone, medium-light skin tone	couple hand hold
        👩🏿‍🤝‍👨🏽	woman and man holding hands: dark skin tone, medium skin tone	couple hand hold
        👩🏿‍🤝‍👨🏾	woman and man holding hands: dark skin tone, medium-dark skin tone	couple hand hold
        👫🏿	woman and man holding hands: dark skin tone
        👬	men holding hands	couple gemini man twins zodiac
        👬🏻	men holding hands: light skin tone
        👨🏻‍🤝‍👨🏼	men holding hands: light skin tone, medium-light skin tone	couple gemini man twins zodiac
        👨🏻‍🤝‍👨🏽	men holding hands: light skin tone, medium skin tone	couple gemini man twins zodiac
        👨🏻‍🤝‍👨🏾	men holding hands: light skin tone, medium-dark skin tone	couple gemini man twins zodiac
        👨🏻‍🤝‍👨🏿	men holding hands: light skin tone, dark skin tone	couple gemini man twins zodiac
        👨🏼‍🤝‍👨🏻	men holding hands: medium-light skin tone, light skin tone	couple gemini man twins zodiac
        👬🏼	men holding hands: medium-light skin tone
        👨🏼‍🤝‍👨🏽	men holding hands: medium-light skin tone, medium skin tone	couple gemini man twins zodiac
        👨🏼‍🤝‍👨🏾	men holding hands: medium-light skin tone, medium-dark skin tone	couple gemini man twins zodiac
        👨🏼‍🤝‍👨🏿	men holding hands: medium-light skin tone, dark skin tone	couple gemini man twins zodiac
        👨🏽‍🤝‍👨🏻	men holding hands: medium skin tone, light skin tone	couple gemini man twins zodiac
        👨🏽‍🤝‍👨🏼	men holding hands: medium skin tone, medium-light skin tone	couple gemini man twins zodiac
        👬🏽	men holding hands: medium skin tone
        👨🏽‍🤝‍👨🏾	men holding hands: medium skin tone, medium-dark skin tone	couple gemini man twins zodiac
        👨🏽‍🤝‍👨🏿	men holding hands: medium skin tone, dark skin tone	couple gemini man twins zodiac
        👨🏾‍🤝‍👨🏻	men holding hands: medium-dark skin tone, light skin tone	couple gemini man twins zodiac
        👨🏾‍🤝‍👨🏼	men holding hands: medium-dark skin tone, medium-light skin tone	couple gemini man twins zodiac
        👨🏾‍🤝‍👨🏽	men holding hands: medium-dark skin tone, medium skin tone	couple gemini man twins zodiac
        👬🏾	men holding hands: medium-dark skin tone
        👨🏾‍🤝‍👨🏿	men holding hands: medium-dark skin tone, dark skin tone	couple gemini man twins zodiac
        👨🏿‍🤝‍👨🏻	men holding hands: dark skin tone, light skin tone	couple gemini man twins zodiac
        👨🏿‍🤝‍👨🏼	men holding hands: dark skin tone, medium-light skin tone	couple gemini man twins zodiac
        👨🏿‍🤝‍👨🏽	men holding hands: dark skin tone, medium skin tone	couple gemini man twins zodiac
        👨🏿‍🤝‍👨🏾	men holding hands: dark skin tone, medium-dark skin tone	couple gemini man twins zodiac
        👬🏿	men holding hands: dark skin tone
        💏	kiss	couple
        💏🏻	kiss: light skin tone
        💏🏼	kiss: medium-light skin tone
        💏🏽	kiss: medium skin tone
        💏🏾	kiss: medium-dark skin tone
        💏🏿	kiss: dark skin tone
        🧑🏻‍❤️‍💋‍🧑🏼	kiss: person, person, light skin tone, medium-light skin tone	couple
        🧑🏻‍❤️‍💋‍🧑🏽	kiss: person, person, light skin tone, medium skin tone	couple
        🧑🏻‍❤️‍💋‍🧑🏾	kiss: person, person, light skin tone, medium-dark skin tone	couple
        🧑🏻‍❤️‍💋‍🧑🏿	kiss: person, person, light skin tone, dark skin tone	couple
        🧑🏼‍❤️‍💋‍🧑🏻	kiss: person, person, medium-light skin tone, light skin tone	couple
        🧑🏼‍❤️‍💋‍🧑🏽	kiss: person, person, medium-light skin tone, medium skin tone	couple
        🧑🏼‍❤️‍💋‍🧑🏾	kiss: person, person, medium-light skin tone, medium-dark skin tone	couple
        🧑🏼‍❤️‍💋‍🧑🏿	kiss: person, person, medium-light skin tone, dark skin tone	couple
        🧑🏽‍❤️‍💋‍🧑🏻	kiss: person, person, medium skin tone, light skin tone	couple
        🧑🏽‍❤️‍💋‍🧑🏼	kiss: person, person, medium skin tone, medium-light skin tone	couple
        🧑🏽‍❤️‍💋‍🧑🏾	kiss: person, person, medium skin tone, medium-dark skin tone	couple
        🧑🏽‍❤️‍💋‍🧑🏿	kiss: person, person, medium skin tone, dark skin tone	couple
        🧑🏾‍❤️‍💋‍🧑🏻	kiss: person, person, medium-dark skin tone, light skin tone	couple
        🧑🏾‍❤️‍💋‍🧑🏼	kiss: person, person, medium-dark skin tone, medium-light skin tone	couple
        🧑🏾‍❤️‍💋‍🧑🏽	kiss: person, person, medium-dark skin tone, medium skin tone	couple
        🧑🏾‍❤️‍💋‍🧑🏿	kiss: person, person, medium-dark skin tone, dark skin tone	couple
        🧑🏿‍❤️‍💋‍🧑🏻	kiss: person, person, dark skin tone, light skin tone	couple
        🧑🏿‍❤️‍💋‍🧑🏼	kiss: person, person, dark skin tone, medium-light skin tone	couple
        🧑🏿‍❤️‍💋‍🧑🏽	kiss: person, person, dark skin tone, medium skin tone	couple
        🧑🏿‍❤️‍💋‍🧑🏾	kiss: person, person, dark skin tone, medium-dark skin tone	couple
        👩‍❤️‍💋‍👨	kiss: woman, man	couple
        👩🏻‍❤️‍💋‍👨🏻	kiss: woman, man, light skin tone
        👩🏻‍❤️‍💋‍👨🏼	kiss: woman, man, light skin tone, medium-light skin tone
        👩🏻‍❤️‍💋‍👨🏽	kiss: woman, man, light skin tone, medium skin tone
        👩🏻‍❤️‍💋‍👨🏾	kiss: woman, man, light skin tone, medium-dark skin tone
        👩🏻‍❤️‍💋‍👨🏿	kiss: woman, man, light skin tone, dark skin tone
        👩🏼‍❤️‍💋‍👨🏻	kiss: woman, man, medium-light skin tone, light skin tone
        👩🏼‍❤️‍💋‍👨🏼	kiss: woman, man, medium-light skin tone
        👩🏼‍❤️‍💋‍👨🏽	kiss: woman, man, medium-light skin tone, medium skin tone
        👩🏼‍❤️‍💋‍👨🏾	kiss: woman, man, medium-light skin tone, medium-dark skin tone
        👩🏼‍❤️‍💋‍👨🏿	kiss: woman, man, medium-light skin tone, dark skin tone
        👩🏽‍❤️‍💋‍👨🏻	kiss: woman, man, medium skin tone, light skin tone
        👩🏽‍❤️‍💋‍👨🏼	kiss: woman, man, medium skin tone, medium-light skin tone
        👩🏽‍❤️‍💋‍👨🏽	kiss: woman, man, medium skin tone
        👩🏽‍❤️‍💋‍👨🏾	kiss: woman, man, medium skin tone, medium-dark skin tone
        👩🏽‍❤️‍💋‍👨🏿	kiss: woman, man, medium skin tone, dark skin tone
        👩🏾‍❤️‍💋‍👨🏻	kiss: woman, man, medium-dark skin tone, light skin tone
        👩🏾‍❤️‍💋‍👨🏼	kiss: woman, man, medium-dark skin tone, medium-light skin tone
        👩🏾‍❤️‍💋‍👨🏽	kiss: woman, man, medium-dark skin tone, medium skin tone
        👩🏾‍❤️‍💋‍👨🏾	kiss: woman, man, medium-dark skin tone
        👩🏾‍❤️‍💋‍👨🏿	kiss: woman, man, medium-dark skin tone, dark skin tone
        👩🏿‍❤️‍💋‍👨🏻	kiss: woman, man, dark skin tone, light skin tone
        👩🏿‍❤️‍💋‍👨🏼	kiss: woman, man, dark skin tone, medium-light skin tone
        👩🏿‍❤️‍💋‍👨🏽	kiss: woman, man, dark skin tone, medium skin tone
        👩🏿‍❤️‍💋‍👨🏾	kiss: woman, man, dark skin tone, medium-dark skin tone
        👩🏿‍❤️‍💋‍👨🏿	kiss: woman, man, dark skin tone
        👨‍❤️‍💋‍👨	kiss: man, man	couple
        👨🏻‍❤️‍💋‍👨🏻	kiss: man, man, light skin tone
        👨🏻‍❤️‍💋‍👨🏼	kiss: man, man, light skin tone, medium-light skin tone
        👨🏻‍❤️‍💋‍👨🏽	kiss: man, man, light skin tone, medium skin tone
        👨🏻‍❤️‍💋‍👨🏾	kiss: man, man, light skin tone, medium-dark skin tone
        👨🏻‍❤️‍💋‍👨🏿	kiss: man, man, light skin tone, dark skin tone
        👨🏼‍❤️‍💋‍👨🏻	kiss: man, man, medium-light skin tone, light skin tone
        👨🏼‍❤️‍💋‍👨🏼	kiss: man, man, medium-light skin tone
        👨🏼‍❤️‍💋‍👨🏽	kiss: man, man, medium-light skin tone, medium skin tone
        👨🏼‍❤️‍💋‍👨🏾	kiss: man, man, medium-light skin tone, medium-dark skin tone
        👨🏼‍❤️‍💋‍👨🏿	kiss: man, man, medium-light skin tone, dark skin tone
        👨🏽‍❤️‍💋‍👨🏻	kiss: man, man, medium skin tone, light skin tone
        👨🏽‍❤️‍💋‍👨🏼	kiss: man, man, medium skin tone, medium-light skin tone
        👨🏽‍❤️‍💋‍👨🏽	kiss: man, man, medium skin tone
        👨🏽‍❤️‍💋‍👨🏾	kiss: man, man, medium skin tone, medium-dark skin tone
        👨🏽‍❤️‍💋‍👨🏿	kiss: man, man, medium skin tone, dark skin tone
        👨🏾‍❤️‍💋‍👨🏻	kiss: man, man, medium-dark skin tone, light skin tone
        👨🏾‍❤️‍💋‍👨🏼	kiss: man, man, medium-dark skin tone, medium-light skin tone
        👨🏾‍❤️‍💋‍👨🏽	kiss: man, man, medium-dark skin tone, medium skin tone
        👨🏾‍❤️‍💋‍👨🏾	kiss: man, man, medium-dark skin tone
        👨🏾‍❤️‍💋‍👨🏿	kiss: man, man, medium-dark skin tone, dark skin tone
        👨🏿‍❤️‍💋‍👨🏻	kiss: man, man, dark skin tone, light skin tone
        👨🏿‍❤️‍💋‍👨🏼	kiss: man, man, dark skin tone, medium-light skin tone
        👨🏿‍❤️‍💋‍👨🏽	kiss: man, man, dark skin tone, medium skin tone
        👨🏿‍❤️‍💋‍👨🏾	kiss: man, man, dark skin tone, medium-dark skin tone
        👨🏿‍❤️‍💋‍👨🏿	kiss: man, man, dark skin tone
        👩‍❤️‍💋‍👩	kiss: woman, woman	couple
        👩🏻‍❤️‍💋‍👩🏻	kiss: woman, woman, light skin tone
        👩🏻‍❤️‍💋‍👩🏼	kiss: woman, woman, light skin tone, medium-light skin tone
        👩🏻‍❤️‍💋‍👩🏽	kiss: woman, woman, light skin tone, medium skin tone
        👩🏻‍❤️‍💋‍👩🏾	kiss: woman, woman, light skin tone, medium-dark skin tone
        👩🏻‍❤️‍💋‍👩🏿	kiss: woman, woman, light skin tone, dark skin tone
        👩🏼‍❤️‍💋‍👩🏻	kiss: woman, woman, medium-light skin tone, light skin tone
        👩🏼‍❤️‍💋‍👩🏼	kiss: woman, woman, medium-light skin tone
        👩🏼‍❤️‍💋‍👩🏽	kiss: woman, woman, medium-light skin tone, medium skin tone
        👩🏼‍❤️‍💋‍👩🏾	kiss: woman, woman, medium-light skin tone, medium-dark skin tone
        👩🏼‍❤️‍💋‍👩🏿	kiss: woman, woman, medium-light skin tone, dark skin tone
        👩🏽‍❤️‍💋‍👩🏻	kiss: woman, woman, medium skin tone, light skin tone
        👩🏽‍❤️‍💋‍👩🏼	kiss: woman, woman, medium skin tone, medium-light skin tone
        👩🏽‍❤️‍💋‍👩🏽	kiss: woman, woman, medium skin tone
        👩🏽‍❤️‍💋‍👩🏾	kiss: woman, woman, medium skin tone, medium-dark skin tone
        👩🏽‍❤️‍💋‍👩🏿	kiss: woman, woman, medium skin tone, dark skin tone
        👩🏾‍❤️‍💋‍👩🏻	kiss: woman, woman, medium-dark skin tone, light skin tone
        👩🏾‍❤️‍💋‍👩🏼	kiss: woman, woman, medium-dark skin tone, medium-light skin tone
        👩🏾‍❤️‍💋‍👩🏽	kiss: woman, woman, medium-dark skin tone, medium skin tone
        👩🏾‍❤️‍💋‍👩🏾	kiss: woman, woman, medium-dark skin tone
        👩🏾‍❤️‍💋‍👩🏿	kiss: woman, woman, medium-dark skin tone, dark skin tone
        👩🏿‍❤️‍💋‍👩🏻	kiss: woman, woman, dark skin tone, light skin tone
        👩🏿‍❤️‍💋‍👩🏼	kiss: woman, woman, dark skin tone, medium-light skin tone
        👩🏿‍❤️‍💋‍👩🏽	kiss: woman, woman, dark skin tone, medium skin tone
        👩🏿‍❤️‍💋‍👩🏾	kiss: woman, woman, dark skin tone, medium-dark skin tone
        👩🏿‍❤️‍💋‍👩🏿	kiss: woman, woman, dark skin tone
        💑	couple with heart	love
        💑🏻	couple with heart: light skin tone
        💑🏼	couple with heart: medium-light skin tone
        💑🏽	couple with heart: medium skin tone
        💑🏾	couple with heart: medium-dark skin tone
        💑🏿	couple with heart: dark skin tone
        🧑🏻‍❤️‍🧑🏼	couple with heart: person, person, light skin tone, medium-light skin tone	love
        🧑🏻‍❤️‍🧑🏽	couple with heart: person, person, light skin tone, medium skin tone	love
        🧑🏻‍❤️‍🧑🏾	couple with heart: person, person, light skin tone, medium-dark skin tone	love
        🧑🏻‍❤️‍🧑🏿	couple with heart: person, person, light skin tone, dark skin tone	love
        🧑🏼‍❤️‍🧑🏻	couple with heart: person, person, medium-light skin tone, light skin tone	love
        🧑🏼‍❤️‍🧑🏽	couple with heart: person, person, medium-light skin tone, medium skin tone	love
        🧑🏼‍❤️‍🧑🏾	couple with heart: person, person, medium-light skin tone, medium-dark skin tone	love
        🧑🏼‍❤️‍🧑🏿	couple with heart: person, person, medium-light skin tone, dark skin tone	love
        🧑🏽‍❤️‍🧑🏻	couple with heart: person, person, medium skin tone, light skin tone	love
        🧑🏽‍❤️‍🧑🏼	couple with heart: person, person, medium skin tone, medium-light skin tone	love
        🧑🏽‍❤️‍🧑🏾	couple with heart: person, person, medium skin tone, medium-dark skin tone	love
        🧑🏽‍❤️‍🧑🏿	couple with heart: person, person, medium skin tone, dark skin tone	love
        🧑🏾‍❤️‍🧑🏻	couple with heart: person, person, medium-dark skin tone, light skin tone	love
        🧑🏾‍❤️‍🧑🏼	couple with heart: person, person, medium-dark skin tone, medium-light skin tone	love
        🧑🏾‍❤️‍🧑🏽	couple with heart: person, person, medium-dark skin tone, medium skin tone	love
        🧑🏾‍❤️‍🧑🏿	couple with heart: person, person, medium-dark skin tone, dark skin tone	love
        🧑🏿‍❤️‍🧑🏻	couple with heart: person, person, dark skin tone, light skin tone	love
        🧑🏿‍❤️‍🧑🏼	couple with heart: person, person, dark skin tone, medium-light skin tone	love
        🧑🏿‍❤️‍🧑🏽	couple with heart: person, person, dark skin tone, medium skin tone	love
        🧑🏿‍❤️‍🧑🏾	couple with heart: person, person, dark skin tone, medium-dark skin tone	love
        👩‍❤️‍👨	couple with heart: woman, man	love
        👩🏻‍❤️‍👨🏻	couple with heart: woman, man, light skin tone
        👩🏻‍❤️‍👨🏼	couple with heart: woman, man, light skin tone, medium-light skin tone
        👩🏻‍❤️‍👨🏽	couple with heart: woman, man, light skin tone, medium skin tone
        👩🏻‍❤️‍👨🏾	couple with heart: woman, man, light skin tone, medium-dark skin tone
        👩🏻‍❤️‍👨🏿	couple with heart: woman, man, light skin tone, dark skin tone
        👩🏼‍❤️‍👨🏻	couple with heart: woman, man, medium-light skin tone, light skin tone
        👩🏼‍❤️‍👨🏼	couple with heart: woman, man, medium-light skin tone
        👩🏼‍❤️‍👨🏽	couple with heart: woman, man, medium-light skin tone, medium skin tone
        👩🏼‍❤️‍👨🏾	couple with heart: woman, man, medium-light skin tone, medium-dark skin tone
        👩🏼‍❤️‍👨🏿	couple with heart: woman, man, medium-light skin tone, dark skin tone
        👩🏽‍❤️‍👨🏻	couple with heart: woman, man, medium skin tone, light skin tone
        👩🏽‍❤️‍👨🏼	couple with heart: woman, man, medium skin tone, medium-light skin tone
        👩🏽‍❤️‍👨🏽	couple with heart: woman, man, medium skin tone
        👩🏽‍❤️‍👨🏾	couple with heart: woman, man, medium skin tone, medium-dark skin tone
        👩🏽‍❤️‍👨🏿	couple with heart: woman, man, medium skin tone, dark skin tone
        👩🏾‍❤️‍👨🏻	couple with heart: woman, man, medium-dark skin tone, light skin tone
        👩🏾‍❤️‍👨🏼	couple with heart: woman, man, medium-dark skin tone, medium-light skin tone
        👩🏾‍❤️‍👨🏽	couple with heart: woman, man, medium-dark skin tone, medium skin tone
        👩🏾‍❤️‍👨🏾	couple with heart: woman, man, medium-dark skin tone
        👩🏾‍❤️‍👨🏿	couple with heart: woman, man, medium-dark skin tone, dark skin tone
        👩🏿‍❤️‍👨🏻	couple with heart: woman, man, dark skin tone, light skin tone
        👩🏿‍❤️‍👨🏼	couple with heart: woman, man, dark skin tone, medium-light skin tone
        👩🏿‍❤️‍👨🏽	couple with heart: woman, man, dark skin tone, medium skin tone
        👩🏿‍❤️‍👨🏾	couple with heart: woman, man, dark skin tone, medium-dark skin tone
        👩🏿‍❤️‍👨🏿	couple with heart: woman, man, dark skin tone
        👨‍❤️‍👨	couple with heart: man, man	love
        👨🏻‍❤️‍👨🏻	couple with heart: man, man, light skin tone
        👨🏻‍❤️‍👨🏼	couple with heart: man, man, light skin tone, medium-light skin tone
        👨🏻‍❤️‍👨🏽	couple with heart: man, man, light skin tone, medium skin tone
        👨🏻‍❤️‍👨🏾	couple with heart: man, man, light skin tone, medium-dark skin tone
        👨🏻‍❤️‍👨🏿	couple with heart: man, man, light skin tone, dark skin tone
        👨🏼‍❤️‍👨🏻	couple with heart: man, man, medium-light skin tone, light skin tone
        👨🏼‍❤️‍👨🏼	couple with heart: man, man, medium-light skin tone
        👨🏼‍❤️‍👨🏽	couple with heart: man, man, medium-light skin tone, medium skin tone
        👨🏼‍❤️‍👨🏾	couple with heart: man, man, medium-light skin tone, medium-dark skin tone
        👨🏼‍❤️‍👨🏿	couple with heart: man, man, medium-light skin tone, dark skin tone
        👨🏽‍❤️‍👨🏻	couple with heart: man, man, medium skin tone, light skin tone
        👨🏽‍❤️‍👨🏼	couple with heart: man, man, medium skin tone, medium-light skin tone
        👨🏽‍❤️‍👨🏽	couple with heart: man, man, medium skin tone
        👨🏽‍❤️‍👨🏾	couple with heart: man, man, medium skin tone, medium-dark skin tone
        👨🏽‍❤️‍👨🏿	couple with heart: man, man, medium skin tone, dark skin tone
        👨🏾‍❤️‍👨🏻	couple with heart: man, man, medium-dark skin tone, light skin tone
        👨🏾‍❤️‍👨🏼	couple with heart: man, man, medium-dark skin tone, medium-light skin tone
        👨🏾‍❤️‍👨🏽	couple with heart: man, man, medium-dark skin tone, medium skin tone
        👨🏾‍❤️‍👨🏾	couple with heart: man, man, medium-dark skin tone
        👨🏾‍❤️‍👨🏿	couple with heart: man, man, medium-dark skin tone, dark skin tone
        👨🏿‍❤️‍👨🏻	couple with heart: man, man, dark skin tone, light skin tone
        👨🏿‍❤️‍👨🏼	couple with heart: man, man, dark skin tone, medium-light skin tone
        👨🏿‍❤️‍👨🏽	couple with heart: man, man, dark skin tone, medium skin tone
        👨🏿‍❤️‍👨🏾	couple with heart: man, man, dark skin tone, medium-dark skin tone
        👨🏿‍❤️‍👨🏿	couple with heart: man, man, dark skin tone
        👩‍❤️‍👩	couple with heart: woman, woman	love
        👩🏻‍❤️‍👩🏻	couple with heart: woman, woman, light skin tone
        👩🏻‍❤️‍👩🏼	couple with heart: woman, woman, light skin tone, medium-light skin tone
        👩🏻‍❤️‍👩🏽	couple with heart: woman, woman, light skin tone, medium skin tone
        👩🏻‍❤️‍👩🏾	couple with heart: woman, woman, light skin tone, medium-dark skin tone
        👩🏻‍❤️‍👩🏿	couple with heart: woman, woman, light skin tone, dark skin tone
        👩🏼‍❤️‍👩🏻	couple with heart: woman, woman, medium-light skin tone, light skin tone
        👩🏼‍❤️‍👩🏼	couple with heart: woman, woman, medium-light skin tone
        👩🏼‍❤️‍👩🏽	couple with heart: woman, woman, medium-light skin tone, medium skin tone
        👩🏼‍❤️‍👩🏾	couple with heart: woman, woman, medium-light skin tone, medium-dark skin tone
        👩🏼‍❤️‍👩🏿	couple with heart: woman, woman, medium-light skin tone, dark skin tone
        👩🏽‍❤️‍👩🏻	couple with heart: woman, woman, medium skin tone, light skin tone
        👩🏽‍❤️‍👩🏼	couple with heart: woman, woman, medium skin tone, medium-light skin tone
        👩🏽‍❤️‍👩🏽	couple with heart: woman, woman, medium skin tone
        👩🏽‍❤️‍👩🏾	couple with heart: woman, woman, medium skin tone, medium-dark skin tone
        👩🏽‍❤️‍👩🏿	couple with heart: woman, woman, medium skin tone, dark skin tone
        👩🏾‍❤️‍👩🏻	couple with heart: woman, woman, medium-dark skin tone, light skin tone
        👩🏾‍❤️‍👩🏼	couple with heart: woman, woman, medium-dark skin tone, medium-light skin tone
        👩🏾‍❤️‍👩🏽	couple with heart: woman, woman, medium-dark skin tone, medium skin tone
        👩🏾‍❤️‍👩🏾	couple with heart: woman, woman, medium-dark skin tone
        👩🏾‍❤️‍👩🏿	couple with heart: woman, woman, medium-dark skin tone, dark skin tone
        👩🏿‍❤️‍👩🏻	couple with heart: woman, woman, dark skin tone, light skin tone
        👩🏿‍❤️‍👩🏼	couple with heart: woman, woman, dark skin tone, medium-light skin tone
        👩🏿‍❤️‍👩🏽	couple with heart: woman, woman, dark skin tone, medium skin tone
        👩🏿‍❤️‍👩🏾	couple with heart: woman, woman, dark skin tone, medium-dark skin tone
        👩🏿‍❤️‍👩🏿	couple with heart: woman, woman, dark skin tone
        👪	family
        👨‍👩‍👦	family: man, woman, boy
        👨‍👩‍👧	family: man, woman, girl
        👨‍👩‍👧‍👦	family: man, woman, girl, boy
        👨‍👩‍👦‍👦	family: man, woman, boy, boy
        👨‍👩‍👧‍👧	family: man, woman, girl, girl
        👨‍👨‍👦	family: man, man, boy
        👨‍👨‍👧	family: man, man, girl
        👨‍👨‍👧‍👦	family: man, man, girl, boy
        👨‍👨‍👦‍👦	family: man, man, boy, boy
        👨‍👨‍👧‍👧	family: man, man, girl, girl
        👩‍👩‍👦	family: woman, woman, boy
        👩‍👩‍👧	family: woman, woman, girl
        👩‍👩‍👧‍👦	family: woman, woman, girl, boy
        👩‍👩‍👦‍👦	family: woman, woman, boy, boy
        👩‍👩‍👧‍👧	family: woman, woman, girl, girl
        👨‍👦	family: man, boy
        👨‍👦‍👦	family: man, boy, boy
        👨‍👧	family: man, girl
        👨‍👧‍👦	family: man, girl, boy
        👨‍👧‍👧	family: man, girl, girl
        👩‍👦	family: woman, boy
        👩‍👦‍👦	family: woman, boy, boy
        👩‍👧	family: woman, girl
        👩‍👧‍👦	family: woman, girl, boy
        👩‍👧‍👧	family: woman, girl, girl
        🗣️	speaking head	face silhouette speak
        👤	bust in silhouette
        👥	busts in silhouette	bust
        🫂	people hugging	goodbye hello hug thanks
        👣	footprints	clothing footprint print
        🏻	light skin tone	type 1 2
        🏼	medium-light skin tone	type 3
        🏽	medium skin tone	type 4
        🏾	medium-dark skin tone	type 5
        🏿	dark skin tone	type 6
        🐵	monkey face
        🐒	monkey
        🦍	gorilla
        🦧	orangutan	ape
        🐶	dog face	pet
        🐕	dog	pet
        🦮	guide dog	accessibility blind
        🐕‍🦺	service dog	accessibility assistance
        🐩	poodle	dog
        🐺	wolf	face
        🦊	fox	face
        🦝	raccoon	curious sly
        🐱	cat face	pet
        🐈	cat	pet
        🐈‍⬛	black cat	unlucky
        🦁	lion	face leo zodiac
        🐯	tiger face
        🐅	tiger
        🐆	leopard
        🐴	horse face
        🫎	moose
        🫏	donkey
        🐎	horse	equestrian racehorse racing
        🦄	unicorn	face
        🦓	zebra	stripe
        🦌	deer
        🦬	bison	buffalo herd wisent
        🐮	cow face
        🐂	ox	bull taurus zodiac
        🐃	water buffalo
        🐄	cow
        🐷	pig face
        🐖	pig	sow
        🐗	boar	pig
        🐽	pig nose	face
        🐏	ram	aries male sheep zodiac
        🐑	ewe	female sheep
        🐐	goat	capricorn zodiac
        🐪	camel	dromedary hump
        🐫	two-hump camel	bactrian
        🦙	llama	alpaca guanaco vicuña wool
        🦒	giraffe	spots
        🐘	elephant
        🦣	mammoth	extinction large tusk woolly
        🦏	rhinoceros
        🦛	hippopotamus	hippo
        🐭	mouse face
        🐁	mouse
        🐀	rat
        🐹	hamster	face pet
        🐰	rabbit face	bunny pet
        🐇	rabbit	bunny pet
        🐿️	chipmunk	squirrel
        🦫	beaver	dam
        🦔	hedgehog	spiny
        🦇	bat	vampire
        🐻	bear	face
        🐻‍❄️	polar bear	arctic white
        🐨	koala	face marsupial
        🐼	panda	face
        🦥	sloth	lazy slow
        🦦	otter	fishing playful
        🦨	skunk	stink
        🦘	kangaroo	australia joey jump marsupial
        🦡	badger	honey pester
        🐾	paw prints	feet print
        🦃	turkey	bird
        🐔	chicken	bird
        🐓	rooster	bird
        🐣	hatching chick	baby bird
        🐤	baby chick	bird
        🐥	front-facing baby chick	bird
        🐦	bird
        🐧	penguin	bird
        🕊️	dove	bird fly peace
        🦅	eagle	bird
        🦆	duck	bird
        🦢	swan	bird cygnet ugly duckling
        🦉	owl	bird wise
        🦤	dodo	extinction large mauritius
        🪶	feather	bird flight light plumage
        🦩	flamingo	flamboyant tropical
        🦚	peacock	bird ostentatious peahen proud
        🦜	parrot	bird pirate talk
        🪽	wing
        🐦‍⬛	black bird
        🪿	goose
        🐸	frog	face
        🐊	crocodile
        🐢	turtle	terrapin tortoise
        🦎	lizard	reptile
        🐍	snake	bearer ophiuchus serpent zodiac
        🐲	dragon face	fairy tale
        🐉	dragon	fairy tale
        🦕	sauropod	brachiosaurus brontosaurus diplodocus
        🦖	T-Rex	tyrannosaurus
        🐳	spouting whale	face
        🐋	whale
        🐬	dolphin	flipper
        🦭	seal	sea lion
        🐟	fish	pisces zodiac
        🐠	tropical fish
        🐡	blowfish	fish
        🦈	shark	fish
        🐙	octopus
        🐚	spiral shell
        🪸	coral	ocean reef
        🪼	jellyfish
        🐌	snail
        🦋	butterfly	insect pretty
        🐛	bug	insect
        🐜	ant	insect
        🐝	honeybee	bee insect
        🪲	beetle	bug insect
        🐞	lady beetle	insect ladybird ladybug
        🦗	cricket	grasshopper
        🪳	cockroach	insect pest roach
        🕷️	spider	insect
        🕸️	spider web
        🦂	scorpion	scorpio zodiac
        🦟	mosquito	disease fever malaria pest virus
        🪰	fly	disease maggot pest rotting
        🪱	worm	annelid earthworm parasite
        🦠	microbe	amoeba bacteria virus
        💐	bouquet	flower
        🌸	cherry blossom	flower
        💮	white flower
        🪷	lotus	buddhism flower hinduism india purity vietnam
        🏵️	rosette	plant
        🌹	rose	flower
        🥀	wilted flower
        🌺	hibiscus	flower
        🌻	sunflower	flower sun
        🌼	blossom	flower
        🌷	tulip	flower
        🪻	hyacinth
        🌱	seedling	young
        🪴	potted plant	boring grow house nurturing useless
        🌲	evergreen tree
        🌳	deciduous tree	shedding
        🌴	palm tree
        🌵	cactus	plant
        🌾	sheaf of rice	ear grain
        🌿	herb	leaf
        ☘️	shamrock	plant
        🍀	four leaf clover	4
        🍁	maple leaf	falling
        🍂	fallen leaf	falling
        🍃	leaf fluttering in wind	blow flutter
        🪹	empty nest	nesting
        🪺	nest with eggs	nesting
        🍄	mushroom	toadstool
        🍇	grapes	fruit grape
        🍈	melon	fruit
        🍉	watermelon	fruit
        🍊	tangerine	fruit orange
        🍋	lemon	citrus fruit
        🍌	banana	fruit
        🍍	pineapple	fruit
        🥭	mango	fruit tropical
        🍎	red apple	fruit
        🍏	green apple	fruit
        🍐	pear	fruit
        🍑	peach	fruit
        🍒	cherries	berries cherry fruit red
        🍓	strawberry	berry fruit
        🫐	blueberries	berry bilberry blue blueberry
        🥝	kiwi fruit	food
        🍅	tomato	fruit vegetable
        🫒	olive	food
        🥥	coconut	palm piña colada
        🥑	avocado	food fruit
        🍆	eggplant	aubergine vegetable
        🥔	potato	food vegetable
        🥕	carrot	food vegetable
        🌽	ear of corn	maize maze
        🌶️	hot pepper
        🫑	bell pepper	capsicum vegetable
        🥒	cucumber	food pickle vegetable
        🥬	leafy green	bok choy cabbage kale lettuce
        🥦	broccoli	wild cabbage
        🧄	garlic	flavoring
        🧅	onion	flavoring
        🥜	peanuts	food nut peanut vegetable
        🫘	beans	food kidney legume
        🌰	chestnut	plant
        🫚	ginger root
        🫛	pea pod
        🍞	bread	loaf
        🥐	croissant	bread breakfast food french roll
        🥖	baguette bread	food french
        🫓	flatbread	arepa lavash naan pita
        🥨	pretzel	twisted
        🥯	bagel	bakery breakfast schmear
        🥞	pancakes	breakfast crêpe food hotcake pancake
        🧇	waffle	breakfast indecisive iron
        🧀	cheese wedge
        🍖	meat on bone
        🍗	poultry leg	bone chicken drumstick
        🥩	cut of meat	chop lambchop porkchop steak
        🥓	bacon	breakfast food meat
        🍔	hamburger	burger
        🍟	french fries
        🍕	pizza	cheese slice
        🌭	hot dog	frankfurter hotdog sausage
        🥪	sandwich	bread
        🌮	taco	mexican
        🌯	burrito	mexican wrap
        🫔	tamale	mexican wrapped
        🥙	stuffed flatbread	falafel food gyro kebab
        🧆	falafel	chickpea meatball
        🥚	egg	breakfast food
        🍳	cooking	breakfast egg frying pan
        🥘	shallow pan of food	casserole paella
        🍲	pot of food	stew
        🫕	fondue	cheese chocolate melted pot swiss
        🥣	bowl with spoon	breakfast cereal congee
        🥗	green salad	food
        🍿	popcorn
        🧈	butter	dairy
        🧂	salt	condiment shaker
        🥫	canned food	can
        🍱	bento box
        🍘	rice cracker
        🍙	rice ball	japanese
        🍚	cooked rice
        🍛	curry rice
        🍜	steaming bowl	noodle ramen
        🍝	spaghetti	pasta
        🍠	roasted sweet potato
        🍢	oden	kebab seafood skewer stick
        🍣	sushi
        🍤	fried shrimp	prawn tempura
        🍥	fish cake with swirl	pastry
        🥮	moon cake	autumn festival yuèbǐng
        🍡	dango	dessert japanese skewer stick sweet
        🥟	dumpling	empanada gyōza jiaozi pierogi potsticker
        🥠	fortune cookie	prophecy
        🥡	takeout box	oyster pail
        🦀	crab	cancer zodiac
        🦞	lobster	bisque claws seafood
        🦐	shrimp	food shellfish small
        🦑	squid	food molusc
        🦪	oyster	diving pearl
        🍦	soft ice cream	dessert icecream sweet
        🍧	shaved ice	dessert sweet
        🍨	ice cream	dessert sweet
        🍩	doughnut	breakfast dessert donut sweet
        🍪	cookie	dessert sweet
        🎂	birthday cake	celebration dessert pastry sweet
        🍰	shortcake	cake dessert pastry slice sweet
        🧁	cupcake	bakery sweet
        🥧	pie	filling pastry
        🍫	chocolate bar	dessert sweet
        🍬	candy	dessert sweet
        🍭	lollipop	candy dessert sweet
        🍮	custard	dessert pudding sweet
        🍯	honey pot	honeypot sweet
        🍼	baby bottle	drink milk
        🥛	glass of milk	drink
        ☕	hot beverage	coffee drink steaming tea
        🫖	teapot	drink pot tea
        🍵	teacup without handle	beverage cup drink tea
        🍶	sake	bar beverage bottle cup drink
        🍾	bottle with popping cork	bar drink
        🍷	wine glass	bar beverage drink
        🍸	cocktail glass	bar drink
        🍹	tropical drink	bar
        🍺	beer mug	bar drink
        🍻	clinking beer mugs	bar clink drink mug
        🥂	clinking glasses	celebrate clink drink glass
        🥃	tumbler glass	liquor shot whisky
        🫗	pouring liquid	drink empty glass spill
        🥤	cup with straw	juice soda
        🧋	bubble tea	milk pearl
        🧃	beverage box	juice straw sweet
        🧉	mate	drink
        🧊	ice	cold cube iceberg
        🥢	chopsticks	hashi
        🍽️	fork and knife with plate	cooking
        🍴	fork and knife	cooking cutlery
        🥄	spoon	tableware
        🔪	kitchen knife	cooking hocho tool weapon
        🫙	jar	condiment container empty sauce store
        🏺	amphora	aquarius cooking drink jug zodiac
        🌍	globe showing Europe-Africa	earth world
        🌎	globe showing Americas	earth world
        🌏	globe showing Asia-Australia	earth world
        🌐	globe with meridians	earth world
        🗺️	world map
        🗾	map of Japan
        🧭	compass	magnetic navigation orienteering
        🏔️	snow-capped mountain	cold
        ⛰️	mountain
        🌋	volcano	eruption mountain
        🗻	mount fuji	mountain
        🏕️	camping
        🏖️	beach with umbrella
        🏜️	desert
        🏝️	desert island
        🏞️	national park
        🏟️	stadium
        🏛️	classical building
        🏗️	building construction
        🧱	brick	bricks clay mortar wall
        🪨	rock	boulder heavy solid stone
        🪵	wood	log lumber timber
        🛖	hut	house roundhouse yurt
        🏘️	houses
        🏚️	derelict house
        🏠	house	home
        🏡	house with garden	home
        🏢	office building
        🏣	Japanese post office
        🏤	post office	european
        🏥	hospital	doctor medicine
        🏦	bank	building
        🏨	hotel	building
        🏩	love hotel
        🏪	convenience store
        🏫	school	building
        🏬	department store
        🏭	factory	building
        🏯	Japanese castle
        🏰	castle	european
        💒	wedding	chapel romance
        🗼	Tokyo tower
        🗽	Statue of Liberty
        ⛪	church	christian cross religion
        🕌	mosque	islam muslim religion
        🛕	hindu temple
        🕍	synagogue	jew jewish religion temple
        ⛩️	shinto shrine	religion
        🕋	kaaba	islam muslim religion
        ⛲	fountain
        ⛺	tent	camping
        🌁	foggy	fog
        🌃	night with stars	star
        🏙️	cityscape	city
        🌄	sunrise over mountains	morning mountain sun
        🌅	sunrise	morning sun
        🌆	cityscape at dusk	city evening landscape sunset
        🌇	sunset	dusk sun
        🌉	bridge at night
        ♨️	hot springs	hotsprings steaming
        🎠	carousel horse
        🛝	playground slide	amusement park play
        🎡	ferris wheel	amusement park
        🎢	roller coaster	amusement park
        💈	barber pole	haircut
        🎪	circus tent
        🚂	locomotive	engine railway steam train
        🚃	railway car	electric train tram trolleybus
        🚄	high-speed train	railway shinkansen
        🚅	bullet train	railway shinkansen speed
        🚆	train	railway
        🚇	metro	subway
        🚈	light rail	railway
        🚉	station	railway train
        🚊	tram	trolleybus
        🚝	monorail	vehicle
        🚞	mountain railway	car
        🚋	tram car	trolleybus
        🚌	bus	vehicle
        🚍	oncoming bus
        🚎	trolleybus	bus tram trolley
        🚐	minibus	bus
        🚑	ambulance	vehicle
        🚒	fire engine	truck
        🚓	police car	patrol
        🚔	oncoming police car
        🚕	taxi	vehicle
        🚖	oncoming taxi
        🚗	automobile	car
        🚘	oncoming automobile	car
        🚙	sport utility vehicle	recreational
        🛻	pickup truck	pick up
        🚚	delivery truck
        🚛	articulated lorry	semi truck
        🚜	tractor	vehicle
        🏎️	racing car
        🏍️	motorcycle	racing
        🛵	motor scooter
        🦽	manual wheelchair	accessibility
        🦼	motorized wheelchair	accessibility
        🛺	auto rickshaw	tuk
        🚲	bicycle	bike
        🛴	kick scooter
        🛹	skateboard	board
        🛼	roller skate
        🚏	bus stop
        🛣️	motorway	highway road
        🛤️	railway track	train
        🛢️	oil drum
        ⛽	fuel pump	diesel fuelpump gas station
        🛞	wheel	circle tire turn
        🚨	police car light	beacon revolving
        🚥	horizontal traffic light	signal
        🚦	vertical traffic light	signal
        🛑	stop sign	octagonal
        🚧	construction	barrier
        ⚓	anchor	ship tool
        🛟	ring buoy	float life preserver saver rescue safety
        ⛵	sailboat	boat resort sea yacht
        🛶	canoe	boat
        🚤	speedboat	boat
        🛳️	passenger ship
        ⛴️	ferry	boat passenger
        🛥️	motor boat	motorboat
        🚢	ship	boat passenger
        ✈️	airplane	aeroplane
        🛩️	small airplane	aeroplane
        🛫	airplane departure	aeroplane check in departures
        🛬	airplane arrival	aeroplane arrivals arriving landing
        🪂	parachute	hang glide parasail skydive
        💺	seat	chair
        🚁	helicopter	vehicle
        🚟	suspension railway
        🚠	mountain cableway	cable gondola
        🚡	aerial tramway	cable car gondola
        🛰️	satellite	space
        🚀	rocket	space
        🛸	flying saucer	ufo
        🛎️	bellhop bell	hotel
        🧳	luggage	packing travel
        ⌛	hourglass done	sand timer
        ⏳	hourglass not done	sand timer
        ⌚	watch	clock
        ⏰	alarm clock
        ⏱️	stopwatch	clock
        ⏲️	timer clock
        🕰️	mantelpiece clock
        🕛	twelve o’clock	00 12
        🕧	twelve-thirty	12 30 clock
        🕐	one o’clock	00 1
        🕜	one-thirty	1 30 clock
        🕑	two o’clock	00 2
        🕝	two-thirty	2 30 clock
        🕒	three o’clock	00 3
        🕞	three-thirty	3 30 clock
        🕓	four o’clock	00 4
        🕟	four-thirty	4 30 clock
        🕔	five o’clock	00 5
        🕠	five-thirty	5 30 clock
        🕕	six o’clock	00 6
        🕡	six-thirty	6 30 clock
        🕖	seven o’clock	00 7
        🕢	seven-thirty	7 30 clock
        🕗	eight o’clock	00 8
        🕣	eight-thirty	8 30 clock
        🕘	nine o’clock	00 9
        🕤	nine-thirty	9 30 clock
        🕙	ten o’clock	00 10
        🕥	ten-thirty	10 30 clock
        🕚	eleven o’clock	00 11
        🕦	eleven-thirty	11 30 clock
        🌑	new moon	dark
        🌒	waxing crescent moon
        🌓	first quarter moon
        🌔	waxing gibbous moon
        🌕	full moon
        🌖	waning gibbous moon
        🌗	last quarter moon
        🌘	waning crescent moon
        🌙	crescent moon
        🌚	new moon face
        🌛	first quarter moon face
        🌜	last quarter moon face
        🌡️	thermometer	weather
        ☀️	sun	bright rays sunny
        🌝	full moon face	bright
        🌞	sun with face	bright
        🪐	ringed planet	saturn saturnine
        ⭐	star
        🌟	glowing star	glittery glow shining sparkle
        🌠	shooting star	falling
        🌌	milky way	space
        ☁️	cloud	weather
        ⛅	sun behind cloud
        ⛈️	cloud with lightning and rain	thunder
        🌤️	sun behind small cloud
        🌥️	sun behind large cloud
        🌦️	sun behind rain cloud
        🌧️	cloud with rain
        🌨️	cloud with snow	cold
        🌩️	cloud with lightning
        🌪️	tornado	cloud whirlwind
        🌫️	fog	cloud
        🌬️	wind face	blow cloud
        🌀	cyclone	dizzy hurricane twister typhoon
        🌈	rainbow	rain
        🌂	closed umbrella	clothing rain
        ☂️	umbrella	clothing rain
        ☔	umbrella with rain drops	clothing drop
        ⛱️	umbrella on ground	rain sun
        ⚡	high voltage	danger electric lightning zap
        ❄️	snowflake	cold snow
        ☃️	snowman	cold snow
        ⛄	snowman without snow	cold
        ☄️	comet	space
        🔥	fire	flame tool
        💧	droplet	cold comic drop sweat
        🌊	water wave	ocean
        🎃	jack-o-lantern	celebration halloween
        🎄	Christmas tree	celebration
        🎆	fireworks	celebration
        🎇	sparkler	celebration fireworks sparkle
        🧨	firecracker	dynamite explosive fireworks
        ✨	sparkles	sparkle star
        🎈	balloon	celebration
        🎉	party popper	celebration tada
        🎊	confetti ball	celebration
        🎋	tanabata tree	banner celebration japanese
        🎍	pine decoration	bamboo celebration japanese
        🎎	Japanese dolls	celebration doll festival
        🎏	carp streamer	celebration
        🎐	wind chime	bell celebration
        🎑	moon viewing ceremony	celebration
        🧧	red envelope	gift good luck hóngbāo lai see money
        🎀	ribbon	celebration
        🎁	wrapped gift	box celebration present
        🎗️	reminder ribbon	celebration
        🎟️	admission tickets	ticket
        🎫	ticket	admission
        🎖️	military medal	celebration
        🏆	trophy	prize
        🏅	sports medal
        🥇	1st place medal	first gold
        🥈	2nd place medal	second silver
        🥉	3rd place medal	bronze third
        ⚽	soccer ball	football
        ⚾	baseball	ball
        🥎	softball	ball glove underarm
        🏀	basketball	ball hoop
        🏐	volleyball	ball game
        🏈	american football	ball
        🏉	rugby football	ball
        🎾	tennis	ball racquet
        🥏	flying disc	ultimate
        🎳	bowling	ball game
        🏏	cricket game	ball bat
        🏑	field hockey	ball game stick
        🏒	ice hockey	game puck stick
        🥍	lacrosse	ball goal stick
        🏓	ping pong	ball bat game paddle table tennis
        🏸	badminton	birdie game racquet shuttlecock
        🥊	boxing glove
        🥋	martial arts uniform	judo karate taekwondo
        🥅	goal net
        ⛳	flag in hole	golf
        ⛸️	ice skate
        🎣	fishing pole	fish
        🤿	diving mask	scuba snorkeling
        🎽	running shirt	athletics sash
        🎿	skis	ski snow
        🛷	sled	sledge sleigh
        🥌	curling stone	game rock
        🎯	bullseye	dart direct hit game target
        🪀	yo-yo	fluctuate toy
        🪁	kite	fly soar
        🔫	water pistol	gun handgun revolver tool weapon
        🎱	pool 8 ball	billiard eight game
        🔮	crystal ball	fairy tale fantasy fortune tool
        🪄	magic wand	witch wizard
        🎮	video game	controller
        🕹️	joystick	game video
        🎰	slot machine	game
        🎲	game die	dice
        🧩	puzzle piece	clue interlocking jigsaw
        🧸	teddy bear	plaything plush stuffed toy
        🪅	piñata	celebration party
        🪩	mirror ball	dance disco glitter party
        🪆	nesting dolls	doll russia
        ♠️	spade suit	card game
        ♥️	heart suit	card game
        ♦️	diamond suit	card game
        ♣️	club suit	card game
        ♟️	chess pawn	dupe expendable
        🃏	joker	card game wildcard
        🀄	mahjong red dragon	game
        🎴	flower playing cards	card game japanese
        🎭	performing arts	art mask theater theatre
        🖼️	framed picture	art frame museum painting
        🎨	artist palette	art museum painting
        🧵	thread	needle sewing spool string
        🪡	sewing needle	embroidery stitches sutures tailoring
        🧶	yarn	ball crochet knit
        🪢	knot	rope tangled tie twine twist
        👓	glasses	clothing eye eyeglasses eyewear
        🕶️	sunglasses	dark eye eyewear glasses
        🥽	goggles	eye protection swimming welding
        🥼	lab coat	doctor experiment scientist
        🦺	safety vest	emergency
        👔	necktie	clothing tie
        👕	t-shirt	clothing tshirt
        👖	jeans	clothing pants trousers
        🧣	scarf	neck
        🧤	gloves	hand
        🧥	coat	jacket
        🧦	socks	stocking
        👗	dress	clothing
        👘	kimono	clothing
        🥻	sari	clothing dress
        🩱	one-piece swimsuit	bathing suit
        🩲	briefs	bathing suit one piece swimsuit underwear
        🩳	shorts	bathing suit pants underwear
        👙	bikini	clothing swim
        👚	woman’s clothes	clothing
        🪭	folding hand fan
        👛	purse	clothing coin
        👜	handbag	bag clothing purse
        👝	clutch bag	clothing pouch
        🛍️	shopping bags	bag hotel
        🎒	backpack	bag rucksack satchel school
        🩴	thong sandal	beach sandals thongs zōri
        👞	man’s shoe	clothing
        👟	running shoe	athletic clothing sneaker
        🥾	hiking boot	backpacking camping
        🥿	flat shoe	ballet slip on slipper
        👠	high-heeled shoe	clothing heel woman
        👡	woman’s sandal	clothing shoe
        🩰	ballet shoes	dance
        👢	woman’s boot	clothing shoe
        🪮	hair pick
        👑	crown	clothing king queen
        👒	woman’s hat	clothing
        🎩	top hat	clothing tophat
        🎓	graduation cap	celebration clothing hat
        🧢	billed cap	baseball
        🪖	military helmet	army soldier warrior
        ⛑️	rescue worker’s helmet	aid cross face hat
        📿	prayer beads	clothing necklace religion
        💄	lipstick	cosmetics makeup
        💍	ring	diamond
        💎	gem stone	diamond jewel
        🔇	muted speaker	mute quiet silent
        🔈	speaker low volume	soft
        🔉	speaker medium volume
        🔊	speaker high volume	loud
        📢	loudspeaker	loud public address
        📣	megaphone	cheering
        📯	postal horn	post
        🔔	bell
        🔕	bell with slash	forbidden mute quiet silent
        🎼	musical score	music
        🎵	musical note	music
        🎶	musical notes	music note
        🎙️	studio microphone	mic music
        🎚️	level slider	music
        🎛️	control knobs	music
        🎤	microphone	karaoke mic
        🎧	headphone	earbud
        📻	radio	video
        🎷	saxophone	instrument music sax
        🪗	accordion	concertina squeeze box
        🎸	guitar	instrument music
        🎹	musical keyboard	instrument music piano
        🎺	trumpet	instrument music
        🎻	violin	instrument music
        🪕	banjo	music stringed
        🥁	drum	drumsticks music
        🪘	long drum	beat conga rhythm
        🪇	maracas
        🪈	flute
        📱	mobile phone	cell telephone
        📲	mobile phone with arrow	cell receive
        ☎️	telephone	phone
        📞	telephone receiver	phone
        📟	pager
        📠	fax machine
        🔋	battery
        🪫	low battery	electronic energy
        🔌	electric plug	electricity
        💻	laptop	computer pc personal
        🖥️	desktop computer
        🖨️	printer	computer
        ⌨️	keyboard	computer
        🖱️	computer mouse
        🖲️	trackball	computer
        💽	computer disk	minidisk optical
        💾	floppy disk	computer
        💿	optical disk	cd computer
        📀	dvd	blu ray computer disk optical
        🧮	abacus	calculation
        🎥	movie camera	cinema
        🎞️	film frames	cinema movie
        📽️	film projector	cinema movie video
        🎬	clapper board	movie
        📺	television	tv video
        📷	camera	video
        📸	camera with flash	video
        📹	video camera
        📼	videocassette	tape vhs video
        🔍	magnifying glass tilted left	search tool
        🔎	magnifying glass tilted right	search tool
        🕯️	candle	light
        💡	light bulb	comic electric idea
        🔦	flashlight	electric light tool torch
        🏮	red paper lantern	bar light
        🪔	diya lamp	oil
        📔	notebook with decorative cover	book decorated
        📕	closed book
        📖	open book
        📗	green book
        📘	blue book
        📙	orange book
        📚	books	book
        📓	notebook
        📒	ledger	notebook
        📃	page with curl	document
        📜	scroll	paper
        📄	page facing up	document
        📰	newspaper	news paper
        🗞️	rolled-up newspaper	news paper
        📑	bookmark tabs	mark marker
        🔖	bookmark	mark
        🏷️	label
        💰	money bag	dollar moneybag
        🪙	coin	gold metal money silver treasure
        💴	yen banknote	bill currency money note
        💵	dollar banknote	bill currency money note
        💶	euro banknote	bill currency money note
        💷	pound banknote	bill currency money note
        💸	money with wings	banknote bill fly
        💳	credit card	money
        🧾	receipt	accounting bookkeeping evidence proof
        💹	chart increasing with yen	graph growth money
        ✉️	envelope	email letter
        📧	e-mail	email letter
        📨	incoming envelope	e mail email letter receive
        📩	envelope with arrow	e mail email outgoing
        📤	outbox tray	box letter mail sent
        📥	inbox tray	box letter mail receive
        📦	package	box parcel
        📫	closed mailbox with raised flag	mail postbox
        📪	closed mailbox with lowered flag	mail postbox
        📬	open mailbox with raised flag	mail postbox
        📭	open mailbox with lowered flag	mail postbox
        📮	postbox	mail mailbox
        🗳️	ballot box with ballot
        ✏️	pencil
        ✒️	black nib	pen
        🖋️	fountain pen
        🖊️	pen	ballpoint
        🖌️	paintbrush	painting
        🖍️	crayon
        📝	memo	pencil
        💼	briefcase
        📁	file folder
        📂	open file folder
        🗂️	card index dividers
        📅	calendar	date
        📆	tear-off calendar
        🗒️	spiral notepad	note pad
        🗓️	spiral calendar	pad
        📇	card index	rolodex
        📈	chart increasing	graph growth trend upward
        📉	chart decreasing	down graph trend
        📊	bar chart	graph
        📋	clipboard
        📌	pushpin	pin
        📍	round pushpin	pin
        📎	paperclip
        🖇️	linked paperclips	link paperclip
        📏	straight ruler	edge
        📐	triangular ruler	set triangle
        ✂️	scissors	cutting tool
        🗃️	card file box
        🗄️	file cabinet	filing
        🗑️	wastebasket
        🔒	locked	closed
        🔓	unlocked	lock open unlock
        🔏	locked with pen	ink lock nib privacy
        🔐	locked with key	closed lock secure
        🔑	key	lock password
        🗝️	old key	clue lock
        🔨	hammer	tool
        🪓	axe	chop hatchet split wood
        ⛏️	pick	mining tool
        ⚒️	hammer and pick	tool
        🛠️	hammer and wrench	spanner tool
        🗡️	dagger	knife weapon
        ⚔️	crossed swords	weapon
        💣	bomb	comic
        🪃	boomerang	australia rebound repercussion
        🏹	bow and arrow	archer sagittarius zodiac
        🛡️	shield	weapon
        🪚	carpentry saw	carpenter lumber tool
        🔧	wrench	spanner tool
        🪛	screwdriver	screw tool
        🔩	nut and bolt	tool
        ⚙️	gear	cog cogwheel tool
        🗜️	clamp	compress tool vice
        ⚖️	balance scale	justice libra zodiac
        🦯	white cane	accessibility blind
        🔗	link
        ⛓️	chains	chain
        🪝	hook	catch crook curve ensnare selling point
        🧰	toolbox	chest mechanic tool
        🧲	magnet	attraction horseshoe magnetic
        🪜	ladder	climb rung step
        ⚗️	alembic	chemistry tool
        🧪	test tube	chemist chemistry experiment lab science
        🧫	petri dish	bacteria biologist biology culture lab
        🧬	dna	biologist evolution gene genetics life
        🔬	microscope	science tool
        🔭	telescope	science tool
        📡	satellite antenna	dish
        💉	syringe	medicine needle shot sick
        🩸	drop of blood	bleed donation injury medicine menstruation
        💊	pill	doctor medicine sick
        🩹	adhesive bandage
        🩼	crutch	cane disability hurt mobility aid stick
        🩺	stethoscope	doctor heart medicine
        🩻	x-ray	bones doctor medical skeleton
        🚪	door
        🛗	elevator	accessibility hoist lift
        🪞	mirror	reflection reflector speculum
        🪟	window	frame fresh air opening transparent view
        🛏️	bed	hotel sleep
        🛋️	couch and lamp	hotel
        🪑	chair	seat sit
        🚽	toilet
        🪠	plunger	force cup plumber suction toilet
        🚿	shower	water
        🛁	bathtub	bath
        🪤	mouse trap	bait mousetrap snare
        🪒	razor	sharp shave
        🧴	lotion bottle	moisturizer shampoo sunscreen
        🧷	safety pin	diaper punk rock
        🧹	broom	cleaning sweeping witch
        🧺	basket	farming laundry picnic
        🧻	roll of paper	towels toilet
        🪣	bucket	cask pail vat
        🧼	soap	bar bathing cleaning lather soapdish
        🫧	bubbles	burp clean soap underwater
        🪥	toothbrush	bathroom brush clean dental hygiene teeth
        🧽	sponge	absorbing cleaning porous
        🧯	fire extinguisher	extinguish quench
        🛒	shopping cart	trolley
        🚬	cigarette	smoking
        ⚰️	coffin	death
        🪦	headstone	cemetery grave graveyard tombstone
        ⚱️	funeral urn	ashes death
        🧿	nazar amulet	bead charm evil eye talisman
        🪬	hamsa	amulet fatima hand mary miriam protection
        🗿	moai	face moyai statue
        🪧	placard	demonstration picket protest sign
        🪪	identification card	credentials id license security
        🏧	ATM sign	automated bank teller
        🚮	litter in bin sign
        🚰	potable water	drinking
        ♿	wheelchair symbol	access
        🚹	men’s room	bathroom lavatory man restroom toilet wc
        🚺	women’s room	bathroom lavatory restroom toilet wc woman
        🚻	restroom	bathroom lavatory toilet wc
        🚼	baby symbol	changing
        🚾	water closet	bathroom lavatory restroom toilet wc
        🛂	passport control
        🛃	customs
        🛄	baggage claim
        🛅	left luggage	baggage locker
        ⚠️	warning
        🚸	children crossing	child pedestrian traffic
        ⛔	no entry	forbidden not prohibited traffic
        🚫	prohibited	entry forbidden no not
        🚳	no bicycles	bicycle bike forbidden prohibited
        🚭	no smoking	forbidden not prohibited
        🚯	no littering	forbidden litter not prohibited
        🚱	non-potable water	drinking
        🚷	no pedestrians	forbidden not pedestrian prohibited
        📵	no mobile phones	cell forbidden phone
        🔞	no one under eighteen	18 age restriction prohibited underage
        ☢️	radioactive	sign
        ☣️	biohazard	sign
        ⬆️	up arrow	cardinal direction north
        ↗️	up-right arrow	direction intercardinal northeast
        ➡️	right arrow	cardinal direction east
        ↘️	down-right arrow	direction intercardinal southeast
        ⬇️	down arrow	cardinal direction south
        ↙️	down-left arrow	direction intercardinal southwest
        ⬅️	left arrow	cardinal direction west
        ↖️	up-left arrow	direction intercardinal northwest
        ↕️	up-down arrow
        ↔️	left-right arrow
        ↩️	right arrow curving left
        ↪️	left arrow curving right
        ⤴️	right arrow curving up
        ⤵️	right arrow curving down
        🔃	clockwise vertical arrows	arrow reload
        🔄	counterclockwise arrows button	anticlockwise arrow withershins
        🔙	BACK arrow
        🔚	END arrow
        🔛	ON! arrow	mark
        🔜	SOON arrow
        🔝	TOP arrow	up
        🛐	place of worship	religion
        ⚛️	atom symbol	atheist
        🕉️	om	hindu religion
        ✡️	star of David	jew jewish religion
        ☸️	wheel of dharma	buddhist religion
        ☯️	yin yang	religion tao taoist
        ✝️	latin cross	christian religion
        ☦️	orthodox cross	christian religion
        ☪️	star and crescent	islam muslim religion
        ☮️	peace symbol
        🕎	menorah	candelabrum candlestick religion
        🔯	dotted six-pointed star	fortune
        🪯	khanda
        ♈	Aries	ram zodiac
        ♉	Taurus	bull ox zodiac
        ♊	Gemini	twins zodiac
        ♋	Cancer	crab zodiac
        ♌	Leo	lion zodiac
        ♍	Virgo	zodiac
        ♎	Libra	balance justice scales zodiac
        ♏	Scorpio	scorpion scorpius zodiac
        ♐	Sagittarius	archer zodiac
        ♑	Capricorn	goat zodiac
        ♒	Aquarius	bearer water zodiac
        ♓	Pisces	fish zodiac
        ⛎	Ophiuchus	bearer serpent snake zodiac
        🔀	shuffle tracks button	arrow crossed
        🔁	repeat button	arrow clockwise
        🔂	repeat single button	arrow clockwise once
        ▶️	play button	arrow right triangle
        ⏩	fast-forward button	arrow double
        ⏭️	next track button	arrow scene triangle
        ⏯️	play or pause button	arrow right triangle
        ◀️	reverse button	arrow left triangle
        ⏪	fast reverse button	arrow double rewind
        ⏮️	last track button	arrow previous scene triangle
        🔼	upwards button	arrow red
        ⏫	fast up button	arrow double
        🔽	downwards button	arrow down red
        ⏬	fast down button	arrow double
        ⏸️	pause button	bar double vertical
        ⏹️	stop button	square
        ⏺️	record button	circle
        ⏏️	eject button
        🎦	cinema	camera film movie
        🔅	dim button	brightness low
        🔆	bright button	brightness
        📶	antenna bars	bar cell mobile phone
        🛜	wireless
        📳	vibration mode	cell mobile phone telephone
        📴	mobile phone off	cell telephone
        ♀️	female sign	woman
        ♂️	male sign	man
        ⚧️	transgender symbol
        ✖️	multiply	cancel multiplication sign x
        ➕	plus	math sign
        ➖	minus	math sign
        ➗	divide	division math sign
        🟰	heavy equals sign	equality math
        ♾️	infinity	forever unbounded universal
        ‼️	double exclamation mark	bangbang
        ⁉️	exclamation question mark	interrobang punctuation
        ❓	red question mark	punctuation
        ❔	white question mark	outlined punctuation
        ❕	white exclamation mark	outlined punctuation
        ❗	red exclamation mark	punctuation
        〰️	wavy dash	punctuation
        💱	currency exchange	bank money
        💲	heavy dollar sign	currency money
        ⚕️	medical symbol	aesculapius medicine staff
        ♻️	recycling symbol	recycle
        ⚜️	fleur-de-lis
        🔱	trident emblem	anchor ship tool
        📛	name badge
        🔰	Japanese symbol for beginner	chevron leaf
        ⭕	hollow red circle	large o
        ✅	check mark button
        ☑️	check box with check
        ✔️	check mark
        ❌	cross mark	cancel multiplication multiply x
        ❎	cross mark button	square x
        ➰	curly loop	curl
        ➿	double curly loop	curl
        〽️	part alternation mark
        ✳️	eight-spoked asterisk
        ✴️	eight-pointed star
        ❇️	sparkle
        ©️	copyright	c
        ®️	registered	r
        ™️	trade mark	tm trademark
        #️⃣	keycap: #
        *️⃣	keycap: *
        0️⃣	keycap: 0
        1️⃣	keycap: 1
        2️⃣	keycap: 2
        3️⃣	keycap: 3
        4️⃣	keycap: 4
        5️⃣	keycap: 5
        6️⃣	keycap: 6
        7️⃣	keycap: 7
        8️⃣	keycap: 8
        9️⃣	keycap: 9
        🔟	keycap: 10
        🔠	input latin uppercase	abcd letters
        🔡	input latin lowercase	abcd letters
        🔢	input numbers	1234
        🔣	input symbols
        🔤	input latin letters	abc alphabet
        🅰️	A button (blood type)
        🆎	AB button (blood type)
        🅱️	B button (blood type)
        🆑	CL button
        🆒	COOL button
        🆓	FREE button
        ℹ️	information	i
        🆔	ID button	identity
        Ⓜ️	circled M	circle
        🆕	NEW button
        🆖	NG button
        🅾️	O button (blood type)
        🆗	OK button
        🅿️	P button	parking
        🆘	SOS button	help
        🆙	UP! button	mark
        🆚	VS button	versus
        🈁	Japanese “here” button	katakana ココ
        🈂️	Japanese “service charge” button	katakana サ
        🈷️	Japanese “monthly amount” button	ideograph 月
        🈶	Japanese “not free of charge” button	ideograph 有
        🈯	Japanese “reserved” button	ideograph 指
        🉐	Japanese “bargain” button	ideograph 得
        🈹	Japanese “discount” button	ideograph 割
        🈚	Japanese “free of charge” button	ideograph 無
        🈲	Japanese “prohibited” button	ideograph 禁
        🉑	Japanese “acceptable” button	ideograph 可
        🈸	Japanese “application” button	ideograph 申
        🈴	Japanese “passing grade” button	ideograph 合
        🈳	Japanese “vacancy” button	ideograph 空
        ㊗️	Japanese “congratulations” button	ideograph 祝
        ㊙️	Japanese “secret” button	ideograph 秘
        🈺	Japanese “open for business” button	ideograph 営
        🈵	Japanese “no vacancy” button	ideograph 満
        🔴	red circle	geometric
        🟠	orange circle
        🟡	yellow circle
        🟢	green circle
        🔵	blue circle	geometric
        🟣	purple circle
        🟤	brown circle
        ⚫	black circle	geometric
        ⚪	white circle	geometric
        🟥	red square
        🟧	orange square
        🟨	yellow square
        🟩	green square
        🟦	blue square
        🟪	purple square
        🟫	brown square
        ⬛	black large square	geometric
        ⬜	white large square	geometric
        ◼️	black medium square	geometric
        ◻️	white medium square	geometric
        ◾	black medium-small square	geometric
        ◽	white medium-small square	geometric
        ▪️	black small square	geometric
        ▫️	white small square	geometric
        🔶	large orange diamond	geometric
        🔷	large blue diamond	geometric
        🔸	small orange diamond	geometric
        🔹	small blue diamond	geometric
        🔺	red triangle pointed up	geometric
        🔻	red triangle pointed down	geometric
        💠	diamond with a dot	comic geometric inside
        🔘	radio button	geometric
        🔳	white square button	geometric outlined
        🔲	black square button	geometric
        🏁	chequered flag	checkered racing
        🚩	triangular flag	post
        🎌	crossed flags	celebration cross japanese
        🏴	black flag	waving
        🏳️	white flag	waving
        🏳️‍🌈	rainbow flag	pride
        🏳️‍⚧️	transgender flag	light blue pink white
        🏴‍☠️	pirate flag	jolly roger plunder treasure
        🇦🇨	flag: Ascension Island
        🇦🇩	flag: Andorra
        🇦🇪	flag: United Arab Emirates
        🇦🇫	flag: Afghanistan
        🇦🇬	flag: Antigua & Barbuda
        🇦🇮	flag: Anguilla
        🇦🇱	flag: Albania
        🇦🇲	flag: Armenia
        🇦🇴	flag: Angola
        🇦🇶	flag: Antarctica
        🇦🇷	flag: Argentina
        🇦🇸	flag: American Samoa
        🇦🇹	flag: Austria
        🇦🇺	flag: Australia
        🇦🇼	flag: Aruba
        🇦🇽	flag: Åland Islands
        🇦🇿	flag: Azerbaijan
        🇧🇦	flag: Bosnia & Herzegovina
        🇧🇧	flag: Barbados
        🇧🇩	flag: Bangladesh
        🇧🇪	flag: Belgium
        🇧🇫	flag: Burkina Faso
        🇧🇬	flag: Bulgaria
        🇧🇭	flag: Bahrain
        🇧🇮	flag: Burundi
        🇧🇯	flag: Benin
        🇧🇱	flag: St. Barthélemy
        🇧🇲	flag: Bermuda
        🇧🇳	flag: Brunei
        🇧🇴	flag: Bolivia
        🇧🇶	flag: Caribbean Netherlands
        🇧🇷	flag: Brazil
        🇧🇸	flag: Bahamas
        🇧🇹	flag: Bhutan
        🇧🇻	flag: Bouvet Island
        🇧🇼	flag: Botswana
        🇧🇾	flag: Belarus
        🇧🇿	flag: Belize
        🇨🇦	flag: Canada
        🇨🇨	flag: Cocos (Keeling) Islands
        🇨🇩	flag: Congo - Kinshasa
        🇨🇫	flag: Central African Republic
        🇨🇬	flag: Congo - Brazzaville
        🇨🇭	flag: Switzerland
        🇨🇮	flag: Côte d’Ivoire
        🇨🇰	flag: Cook Islands
        🇨🇱	flag: Chile
        🇨🇲	flag: Cameroon
        🇨🇳	flag: China
        🇨🇴	flag: Colombia
        🇨🇵	flag: Clipperton Island
        🇨🇷	flag: Costa Rica
        🇨🇺	flag: Cuba
        🇨🇻	flag: Cape Verde
        🇨🇼	flag: Curaçao
        🇨🇽	flag: Christmas Island
        🇨🇾	flag: Cyprus
        🇨🇿	flag: Czechia
        🇩🇪	flag: Germany
        🇩🇬	flag: Diego Garcia
        🇩🇯	flag: Djibouti
        🇩🇰	flag: Denmark
        🇩🇲	flag: Dominica
        🇩🇴	flag: Dominican Republic
        🇩🇿	flag: Algeria
        🇪🇦	flag: Ceuta & Melilla
        🇪🇨	flag: Ecuador
        🇪🇪	flag: Estonia
        🇪🇬	flag: Egypt
        🇪🇭	flag: Western Sahara
        🇪🇷	flag: Eritrea
        🇪🇸	flag: Spain
        🇪🇹	flag: Ethiopia
        🇪🇺	flag: European Union
        🇫🇮	flag: Finland
        🇫🇯	flag: Fiji
        🇫🇰	flag: Falkland Islands
        🇫🇲	flag: Micronesia
        🇫🇴	flag: Faroe Islands
        🇫🇷	flag: France
        🇬🇦	flag: Gabon
        🇬🇧	flag: United Kingdom
        🇬🇩	flag: Grenada
        🇬🇪	flag: Georgia
        🇬🇫	flag: French Guiana
        🇬🇬	flag: Guernsey
        🇬🇭	flag: Ghana
        🇬🇮	flag: Gibraltar
        🇬🇱	flag: Greenland
        🇬🇲	flag: Gambia
        🇬🇳	flag: Guinea
        🇬🇵	flag: Guadeloupe
        🇬🇶	flag: Equatorial Guinea
        🇬🇷	flag: Greece
        🇬🇸	flag: South Georgia & South Sandwich Islands
        🇬🇹	flag: Guatemala
        🇬🇺	flag: Guam
        🇬🇼	flag: Guinea-Bissau
        🇬🇾	flag: Guyana
        🇭🇰	flag: Hong Kong SAR China
        🇭🇲	flag: Heard & McDonald Islands
        🇭🇳	flag: Honduras
        🇭🇷	flag: Croatia
        🇭🇹	flag: Haiti
        🇭🇺	flag: Hungary
        🇮🇨	flag: Canary Islands
        🇮🇩	flag: Indonesia
        🇮🇪	flag: Ireland
        🇮🇱	flag: Israel
        🇮🇲	flag: Isle of Man
        🇮🇳	flag: India
        🇮🇴	flag: British Indian Ocean Territory
        🇮🇶	flag: Iraq
        🇮🇷	flag: Iran
        🇮🇸	flag: Iceland
        🇮🇹	flag: Italy
        🇯🇪	flag: Jersey
        🇯🇲	flag: Jamaica
        🇯🇴	flag: Jordan
        🇯🇵	flag: Japan
        🇰🇪	flag: Kenya
        🇰🇬	flag: Kyrgyzstan
        🇰🇭	flag: Cambodia
        🇰🇮	flag: Kiribati
        🇰🇲	flag: Comoros
        🇰🇳	flag: St. Kitts & Nevis
        🇰🇵	flag: North Korea
        🇰🇷	flag: South Korea
        🇰🇼	flag: Kuwait
        🇰🇾	flag: Cayman Islands
        🇰🇿	flag: Kazakhstan
        🇱🇦	flag: Laos
        🇱🇧	flag: Lebanon
        🇱🇨	flag: St. Lucia
        🇱🇮	flag: Liechtenstein
        🇱🇰	flag: Sri Lanka
        🇱🇷	flag: Liberia
        🇱🇸	flag: Lesotho
        🇱🇹	flag: Lithuania
        🇱🇺	flag: Luxembourg
        🇱🇻	flag: Latvia
        🇱🇾	flag: Libya
        🇲🇦	flag: Morocco
        🇲🇨	flag: Monaco
        🇲🇩	flag: Moldova
        🇲🇪	flag: Montenegro
        🇲🇫	flag: St. Martin
        🇲🇬	flag: Madagascar
        🇲🇭	flag: Marshall Islands
        🇲🇰	flag: North Macedonia
        🇲🇱	flag: Mali
        🇲🇲	flag: Myanmar (Burma)
        🇲🇳	flag: Mongolia
        🇲🇴	flag: Macao SAR China
        🇲🇵	flag: Northern Mariana Islands
        🇲🇶	flag: Martinique
        🇲🇷	flag: Mauritania
        🇲🇸	flag: Montserrat
        🇲🇹	flag: Malta
        🇲🇺	flag: Mauritius
        🇲🇻	flag: Maldives
        🇲🇼	flag: Malawi
        🇲🇽	flag: Mexico
        🇲🇾	flag: Malaysia
        🇲🇿	flag: Mozambique
        🇳🇦	flag: Namibia
        🇳🇨	flag: New Caledonia
        🇳🇪	flag: Niger
        🇳🇫	flag: Norfolk Island
        🇳🇬	flag: Nigeria
        🇳🇮	flag: Nicaragua
        🇳🇱	flag: Netherlands
        🇳🇴	flag: Norway
        🇳🇵	flag: Nepal
        🇳🇷	flag: Nauru
        🇳🇺	flag: Niue
        🇳🇿	flag: New Zealand
        🇴🇲	flag: Oman
        🇵🇦	flag: Panama
        🇵🇪	flag: Peru
        🇵🇫	flag: French Polynesia
        🇵🇬	flag: Papua New Guinea
        🇵🇭	flag: Philippines
        🇵🇰	flag: Pakistan
        🇵🇱	flag: Poland
        🇵🇲	flag: St. Pierre & Miquelon
        🇵🇳	flag: Pitcairn Islands
        🇵🇷	flag: Puerto Rico
        🇵🇸	flag: Palestinian Territories
        🇵🇹	flag: Portugal
        🇵🇼	flag: Palau
        🇵🇾	flag: Paraguay
        🇶🇦	flag: Qatar
        🇷🇪	flag: Réunion
        🇷🇴	flag: Romania
        🇷🇸	flag: Serbia
        🇷🇺	flag: Russia
        🇷🇼	flag: Rwanda
        🇸🇦	flag: Saudi Arabia
        🇸🇧	flag: Solomon Islands
        🇸🇨	flag: Seychelles
        🇸🇩	flag: Sudan
        🇸🇪	flag: Sweden
        🇸🇬	flag: Singapore
        🇸🇭	flag: St. Helena
        🇸🇮	flag: Slovenia
        🇸🇯	flag: Svalbard & Jan Mayen
        🇸🇰	flag: Slovakia
        🇸🇱	flag: Sierra Leone
        🇸🇲	flag: San Marino
        🇸🇳	flag: Senegal
        🇸🇴	flag: Somalia
        🇸🇷	flag: Suriname
        🇸🇸	flag: South Sudan
        🇸🇹	flag: São Tomé & Príncipe
        🇸🇻	flag: El Salvador
        🇸🇽	flag: Sint Maarten
        🇸🇾	flag: Syria
        🇸🇿	flag: Eswatini
        🇹🇦	flag: Tristan da Cunha
        🇹🇨	flag: Turks & Caicos Islands
        🇹🇩	flag: Chad
        🇹🇫	flag: French Southern Territories
        🇹🇬	flag: Togo
        🇹🇭	flag: Thailand
        🇹🇯	flag: Tajikistan
        🇹🇰	flag: Tokelau
        🇹🇱	flag: Timor-Leste
        🇹🇲	flag: Turkmenistan
        🇹🇳	flag: Tunisia
        🇹🇴	flag: Tonga
        🇹🇷	flag: Turkey
        🇹🇹	flag: Trinidad & Tobago
        🇹🇻	flag: Tuvalu
        🇹🇼	flag: Taiwan
        🇹🇿	flag: Tanzania
        🇺🇦	flag: Ukraine
        🇺🇬	flag: Uganda
        🇺🇲	flag: U.S. Outlying Islands
        🇺🇳	flag: United Nations
        🇺🇸	flag: United States
        🇺🇾	flag: Uruguay
        🇺🇿	flag: Uzbekistan
        🇻🇦	flag: Vatican City
        🇻🇨	flag: St. Vincent & Grenadines
        🇻🇪	flag: Venezuela
        🇻🇬	flag: British Virgin Islands
        🇻🇮	flag: U.S. Virgin Islands
        🇻🇳	flag: Vietnam
        🇻🇺	flag: Vanuatu
        🇼🇫	flag: Wallis & Futuna
        🇼🇸	flag: Samoa
        🇽🇰	flag: Kosovo
        🇾🇪	flag: Yemen
        🇾🇹	flag: Mayotte
        🇿🇦	flag: South Africa
        🇿🇲	flag: Zambia
        🇿🇼	flag: Zimbabwe
        🏴󠁧󠁢󠁥󠁮󠁧󠁿	flag: England
        🏴󠁧󠁢󠁳󠁣󠁴󠁿	flag: Scotland
        🏴󠁧󠁢󠁷󠁬󠁳󠁿	flag: Wales
        """
}
