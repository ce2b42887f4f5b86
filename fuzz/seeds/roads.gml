Creator "x"
graph [ directed 0
  node [ id 1 label "a &amp; b" ] node [ id 2 label "c" ]
  edge [ source 1 target 2 weight 2.5 ] # c
]
