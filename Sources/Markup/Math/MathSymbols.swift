// What TeX commands without arguments stand for (LaTeX, amssymb and common packages), as one constant string:
// `name=` and a class letter, then the character in hexadecimal. `MathSymbol` reads it into a dictionary on first use.

/// One symbol of TeX.
struct MathSymbol: Sendable {
    enum Class: UInt8 {
        /// An identifier in italics, and one that stays upright.
        case italic = 0x69, upright = 0x75
        /// An operator, relation or arrow; a delimiter; a large operator with limits; an integral.
        case symbol = 0x6F, fence = 0x66, large = 0x6C, integral = 0x6E
        /// A named function, and one whose subscript stands below it.
        case function = 0x67, limit = 0x68
    }

    var kind: Class
    /// The character, or the function's name.
    var text: String

    /// The symbol that `\\name` stands for.
    static func named(_ name: String) -> MathSymbol? { table[name] }

    private static let spelled = [
        "limsup": "lim sup", "liminf": "lim inf", "argmax": "arg max", "argmin": "arg min", "injlim": "inj lim",
        "projlim": "proj lim",
    ]

    private static let table: [String: MathSymbol] = {
        var table: [String: MathSymbol] = [:]
        for entry in text.description.split(separator: " ") {
            let parts = entry.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let first = parts[1].utf8.first, let kind = Class(rawValue: first) else { continue }
            let name = String(parts[0])
            let scalar = UInt32(parts[1].dropFirst(), radix: 16).flatMap(Unicode.Scalar.init)
            let shown = scalar.map { String(Character($0)) } ?? spelled[name] ?? name
            table[name] = MathSymbol(kind: kind, text: shown)
        }
        return table
    }()

    private static let text: StaticString = """
        AA=uC5 Alpha=u391 And=o26 Bbbk=i1D55C Beta=u392 Box=u25A1 Bumpeq=o224E Cap=o22D2 Chi=u3A7 Cup=o22D3 \
        Delta=u394 Diamond=u25C7 Downarrow=o21D3 Epsilon=u395 Eta=u397 Finv=i2132 Game=i2141 Gamma=u393 Im=i2111 \
        Iota=u399 Join=o2A1D Kappa=u39A Lambda=u39B Leftarrow=o21D0 Leftrightarrow=o21D4 Lleftarrow=o21DA \
        Longleftarrow=o27F8 Longleftrightarrow=o27FA Longrightarrow=o27F9 Lsh=o21B0 Mu=u39C Nu=u39D Omega=u3A9 \
        Omicron=u39F P=uB6 Phi=u3A6 Pi=u3A0 Pr=h Psi=u3A8 QED=u220E Re=i211C Rho=u3A1 Rightarrow=o21D2 \
        Rrightarrow=o21DB Rsh=o21B1 S=uA7 Sigma=u3A3 Subset=o22D0 Supset=o22D1 Tau=u3A4 Theta=u398 Uparrow=o21D1 \
        Updownarrow=o21D5 Upsilon=u3A5 Vdash=o22A9 Vert=f2016 Vvdash=o22AA Xi=u39E Zeta=u396 aleph=i2135 \
        alpha=i3B1 amalg=o2A3F angle=u2220 approx=o2248 approxeq=o224A arccos=g arcsin=g arctan=g arg=g argmax=h \
        argmin=h ast=o2217 asymp=o224D backepsilon=i3F6 backprime=u2035 backsim=o223D backslash=f5C barwedge=o22BC \
        because=o2235 beta=i3B2 beth=i2136 between=o226C bigcap=l22C2 bigcirc=o25EF bigcup=l22C3 bigodot=l2A00 \
        bigoplus=l2A01 bigotimes=l2A02 bigsqcup=l2A06 bigstar=u2605 bigtriangledown=o25BD bigtriangleup=o25B3 \
        biguplus=l2A04 bigvee=l22C1 bigwedge=l22C0 blacklozenge=u29EB blacksquare=u25A0 blacktriangle=u25B2 \
        blacktriangledown=u25BC bot=u22A5 bowtie=o22C8 boxdot=o22A1 boxminus=o229F boxplus=o229E boxtimes=o22A0 \
        bullet=o2219 bumpeq=o224F cap=o2229 cdot=o22C5 cdots=u22EF centerdot=o22C5 checkmark=u2713 chi=i3C7 \
        circ=o2218 circeq=o2257 circlearrowleft=o21BA circlearrowright=o21BB circledR=uAE circledast=o229B \
        circledcirc=o229A circleddash=o229D clubsuit=u2663 colon=o3A coloneq=o2254 coloneqq=o2254 complement=i2201 \
        cong=o2245 coprod=l2210 copyright=uA9 cos=g cosh=g cot=g coth=g csc=g cup=o222A curlyeqprec=o22DE \
        curlyeqsucc=o22DF curlyvee=o22CE curlywedge=o22CF curvearrowleft=o21B6 curvearrowright=o21B7 dag=u2020 \
        dagger=o2020 daleth=i2138 dashleftarrow=o21E0 dashrightarrow=o21E2 dashv=o22A3 ddag=u2021 ddagger=o2021 \
        ddots=u22F1 deg=g degree=uB0 delta=i3B4 det=h diagdown=u2572 diagup=u2571 diamond=o22C4 diamondsuit=u2662 \
        digamma=i3DD dim=g div=oF7 divideontimes=o22C7 doteq=o2250 doteqdot=o2251 dotplus=o2214 dots=u2026 \
        dotsb=u22EF dotsc=u2026 dotsi=u22EF dotsm=u22EF dotso=u2026 downarrow=o2193 downdownarrows=o21CA ell=i2113 \
        emptyset=i2205 epsilon=i3F5 eqcirc=o2256 eqqcolon=o2255 equiv=o2261 eta=i3B7 eth=iF0 euro=u20AC \
        exists=o2203 exp=g fallingdotseq=o2252 flat=u266D forall=o2200 frown=o2322 gamma=i3B3 gcd=h ge=o2265 \
        geq=o2265 geqq=o2267 geqslant=o2A7E gets=o2190 gg=o226B ggg=o22D9 gimel=i2137 gneq=o2A88 gtrapprox=o2A86 \
        gtrdot=o22D7 gtrless=o2277 gtrsim=o2273 hbar=i210F heartsuit=u2661 hom=g hookleftarrow=o21A9 \
        hookrightarrow=o21AA hslash=i210F iff=o27FA iiiint=n2A0C iiint=n222D iint=n222C imath=i131 impliedby=o27F8 \
        implies=o27F9 in=o2208 inf=h infty=i221E injlim=h int=n222B intercal=o22BA intop=n222B iota=i3B9 \
        jmath=i237 kappa=i3BA ker=g lVert=f2016 lambda=i3BB land=o2227 langle=f27E8 lbrace=f7B lbrack=f5B \
        lceil=f2308 lcm=h ldots=u2026 le=o2264 leadsto=o21DD leftarrow=o2190 leftarrowtail=o21A2 \
        leftharpoondown=o21BD leftharpoonup=o21BC leftleftarrows=o21C7 leftrightarrow=o2194 leftrightarrows=o21C6 \
        leftrightharpoons=o21CB leftthreetimes=o22CB leq=o2264 leqq=o2266 leqslant=o2A7D lessapprox=o2A85 \
        lessdot=o22D6 lessgtr=o2276 lesssim=o2272 lfloor=f230A lg=g lgroup=f27EE lhd=o22B2 lim=h liminf=h limsup=h \
        ll=o226A llbracket=f27E6 llcorner=f231E lll=o22D8 lmoustache=f23B0 ln=g lneq=o2A87 lnot=oAC log=g \
        longleftarrow=o27F5 longleftrightarrow=o27F7 longmapsto=o27FC longrightarrow=o27F6 looparrowleft=o21AB \
        looparrowright=o21AC lor=o2228 lozenge=u25CA lq=o2018 lrcorner=f231F ltimes=o22C9 lvert=f7C maltese=u2720 \
        mapsto=o21A6 max=h measuredangle=u2221 mho=i2127 mid=o2223 min=h models=o22A8 mp=o2213 mu=i3BC \
        multimap=o22B8 nLeftarrow=o21CD nLeftrightarrow=o21CE nRightarrow=o21CF nabla=i2207 natural=u266E \
        ncong=o2247 ne=o2260 nearrow=o2197 neg=oAC neq=o2260 nexists=o2204 ngeq=o2271 ngtr=o226F ni=o220B \
        nleftarrow=o219A nleftrightarrow=o21AE nleq=o2270 nless=o226E nmid=o2224 notin=o2209 nparallel=o2226 \
        nprec=o2280 nrightarrow=o219B nsim=o2241 nsubseteq=o2288 nsucc=o2281 nsupseteq=o2289 nu=i3BD nvDash=o22AD \
        nvdash=o22AC nwarrow=o2196 odot=o2299 oiiint=n2230 oiint=n222F oint=n222E omega=i3C9 omicron=i3BF \
        ominus=o2296 oplus=o2295 oslash=o2298 otimes=o2297 owns=o220B parallel=o2225 partial=i2202 perp=o27C2 \
        phi=i3D5 pi=i3C0 pitchfork=o22D4 pm=oB1 pounds=uA3 prec=o227A preccurlyeq=o227C preceq=o2AAF precsim=o227E \
        prime=u2032 prod=l220F projlim=h propto=o221D psi=i3C8 qed=u220E rVert=f2016 rangle=f27E9 rank=g \
        rbrace=f7D rbrack=f5D rceil=f2309 restriction=o21BE rfloor=f230B rgroup=f27EF rhd=o22B3 rho=i3C1 \
        rightarrow=o2192 rightarrowtail=o21A3 rightharpoondown=o21C1 rightharpoonup=o21C0 rightleftarrows=o21C4 \
        rightleftharpoons=o21CC rightrightarrows=o21C9 rightsquigarrow=o21DD rightthreetimes=o22CC \
        risingdotseq=o2253 rmoustache=f23B1 rq=o2019 rrbracket=f27E7 rtimes=o22CA rvert=f7C searrow=o2198 sec=g \
        setminus=o2216 sgn=g sharp=u266F shortmid=o2223 shortparallel=o2225 sigma=i3C3 sim=o223C simeq=o2243 sin=g \
        sinh=g smallint=n222B smallsetminus=o2216 smile=o2323 spadesuit=u2660 sphericalangle=u2222 sqcap=o2293 \
        sqcup=o2294 sqsubset=o228F sqsubseteq=o2291 sqsupset=o2290 sqsupseteq=o2292 square=u25A1 star=o22C6 \
        subset=o2282 subseteq=o2286 subseteqq=o2AC5 subsetneq=o228A succ=o227B succcurlyeq=o227D succeq=o2AB0 \
        succsim=o227F sum=l2211 sup=h supset=o2283 supseteq=o2287 supseteqq=o2AC6 supsetneq=o228B surd=u221A \
        swarrow=o2199 tan=g tanh=g tau=i3C4 therefore=o2234 theta=i3B8 thickapprox=o2248 thicksim=o223C times=oD7 \
        to=o2192 top=u22A4 tr=g triangle=u25B3 triangleleft=o25C3 trianglelefteq=o22B4 triangleq=o225C \
        triangleright=o25B9 trianglerighteq=o22B5 twoheadleftarrow=o219E twoheadrightarrow=o21A0 ulcorner=f231C \
        unlhd=o22B4 unrhd=o22B5 uparrow=o2191 updownarrow=o2195 upharpoonright=o21BE uplus=o228E upsilon=i3C5 \
        upuparrows=o21C8 urcorner=f231D vDash=o22A8 varepsilon=i3B5 varkappa=i3F0 varnothing=i2205 varphi=i3C6 \
        varpi=i3D6 varpropto=o221D varrho=i3F1 varsigma=i3C2 varsubsetneq=o228A vartheta=i3D1 \
        vartriangleleft=o22B2 vartriangleright=o22B3 vdash=o22A2 vdots=u22EE vee=o2228 veebar=o22BB vert=f7C \
        wedge=o2227 wp=i2118 wr=o2240 xi=i3BE yen=uA5 zeta=i3B6
        """
}
