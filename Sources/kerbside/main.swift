print("kerbside")
